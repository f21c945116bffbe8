// What of a page a person could not read: contrast, names, order, places; a list of complaints.
// A short form of what accessibility checkers look for, asked of a real browser through its protocol.
// Contrast is computed as WCAG 2.2 defines it, against the nearest background that is not clear.
(() => {
  const faults = [];
  const shown = one => one.getClientRects().length && getComputedStyle(one).visibility !== 'hidden';
  const parse = text => {
    const found = text.match(/[\d.]+/g).map(Number);
    return found.length > 3 && found[3] === 0 ? null : found;
  };
  const light = colour => {
    const [r, g, b] = colour.slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = one => {
    for (let at = one; at; at = at.parentElement) {
      const found = parse(getComputedStyle(at).backgroundColor);
      if (found) return found;
    }
    return [255, 255, 255];
  };
  // text
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const one = node.parentElement;
    if (!node.data.trim() || !shown(one) || ['TITLE', 'DESC'].includes(one.tagName.toUpperCase())) continue;
    const style = getComputedStyle(one);
    const colour = parse(one.closest('svg') ? style.fill : style.color);
    const large = parseFloat(style.fontSize) >= 24;
    const found = colour ? ratio(colour, behind(one)) : 0;
    if (found < (large ? 3 : 4.5))
      faults.push(`contrast ${found.toFixed(2)} of text "${node.data.trim().slice(0, 40)}"`);
    if (parseFloat(style.fontSize) < 12) faults.push(`small text "${node.data.trim().slice(0, 40)}"`);
  }
  // marks
  for (const one of document.querySelectorAll('svg path.mark, svg path.line, svg path.whisker, svg path.limit')) {
    if (!shown(one)) continue;
    const style = getComputedStyle(one);
    const colours = [style.fill, style.stroke].filter(text => text !== 'none').map(parse).filter(Boolean);
    const found = Math.max(0, ...colours.map(colour => ratio(colour, behind(one))));
    if (found < 3) faults.push(`contrast ${found.toFixed(2)} of mark ${one.getAttribute('class')}`);
  }
  // pictures
  for (const figure of document.querySelectorAll('figure')) {
    const seen = [...figure.querySelectorAll('svg[role=img]')].filter(shown);
    if (seen.length !== 1) faults.push(`${seen.length} pictures seen in ${figure.id}`);
    for (const svg of seen) {
      const marks = [...svg.querySelectorAll('.mark')];
      if (!marks.length) faults.push(`no marks in ${figure.id}`);
      for (const mark of marks) {
        const box = mark.getBBox();
        if (!(box.width > 0.5) || !(box.height > 0.5)) faults.push(`a mark without a size in ${figure.id}`);
      }
      const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
      const boxes = [...svg.querySelectorAll('text')].map(one => [one, one.getBBox()]);
      for (const [one, box] of boxes)
        if (box.x < -1 || box.x + box.width > width + 1 || box.y < -1 || box.y + box.height > height + 1)
          faults.push(`"${one.textContent}" is cut off in ${figure.id}`);
      const ticks = boxes.filter(([one]) => one.getAttribute('class') !== 'note');
      for (let i = 0; i < ticks.length; i++)
        for (let j = i + 1; j < ticks.length; j++) {
          const [a, b] = [ticks[i][1], ticks[j][1]];
          if (a.x < b.x + b.width && b.x < a.x + a.width && a.y + 2 < b.y + b.height && b.y + 2 < a.y + a.height)
            faults.push(`"${ticks[i][0].textContent}" lies on "${ticks[j][0].textContent}" in ${figure.id}`);
        }
    }
    if (!figure.querySelector('table')) faults.push(`no table behind ${figure.id}`);
  }
  // names and order
  const ids = [...document.querySelectorAll('[id]')].map(one => one.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push(`two of id ${id}`);
  for (const table of document.querySelectorAll('table')) {
    if (!table.caption || !table.caption.textContent.trim()) faults.push('a table without a caption');
    for (const cell of table.querySelectorAll('th')) if (!cell.scope) faults.push('a header without a scope');
    for (const row of table.tBodies[0].rows)
      if (row.cells.length !== table.tHead.rows[0].cells.length) faults.push('a row of other length');
  }
  for (const link of document.querySelectorAll('a')) if (!link.textContent.trim()) faults.push('a link without words');
  for (const link of document.querySelectorAll('a[href^="#"]'))
    if (!document.getElementById(link.hash.slice(1))) faults.push(`${link.hash} leads nowhere`);
  let level = 0;
  for (const heading of document.querySelectorAll('h1,h2,h3,h4')) {
    const now = Number(heading.tagName[1]);
    if (now > level + 1) faults.push(`h${now} after h${level}`);
    level = now;
  }
  if (document.querySelectorAll('h1').length !== 1) faults.push('not one h1');
  if (!document.documentElement.lang) faults.push('no language');
  if (document.querySelectorAll('main').length !== 1) faults.push('not one main');
  // places
  if (document.documentElement.scrollWidth > innerWidth)
    faults.push(`the page is ${document.documentElement.scrollWidth} wide on ${innerWidth}`);
  for (const one of document.querySelectorAll('body *')) {
    if (one.closest('.scroll') || one.closest('svg') || !shown(one)) continue;
    const box = one.getBoundingClientRect();
    if (box.width > 2 && (box.right > innerWidth + 1 || box.left < -1))
      faults.push(`<${one.tagName.toLowerCase()} class="${one.className}"> sticks out`);
  }
  for (const one of document.querySelectorAll('.scroll'))
    if (one.querySelector('.stack') && one.scrollWidth > one.clientWidth + 1) faults.push(`${one.getAttribute('aria-label')} is cut off`);
  for (const one of document.querySelectorAll('.scroll'))
    if (one.tabIndex !== 0 || !one.getAttribute('aria-label')) faults.push('a part that scrolls without a name');
  return [...new Set(faults)];
})()

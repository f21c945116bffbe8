"""Twice the climb: a planned route counted beside the recorded track."""

from bench.sample_sessions.script import (
    Branch,
    Session,
    ask,
    bash,
    commit,
    edit,
    missing,
    pull_request,
    read,
    refused,
    say,
    think,
)

SESSION = Session(
    project="trailmap",
    began="2026-10-08T06:52:00",
    version="2.1.321",
    title="Twice the elevation gain",
    steps=(
        ask(
            """
            A user has 2,900 m of climb for a ride that really has 1,450. The file is in
            test/data/lakes.gpx. Why?
            """
        ),
        missing("src/elevation.ts", "src/profile.ts"),
        read(
            "src/profile.ts",
            """
            export function elevationGain(points: Point[], smooth: number): number {
              let gain = 0;
              let low = points[0].ele;
              for (const point of points) {
                if (point.ele < low) low = point.ele;
                if (point.ele - low >= smooth) {
                  gain += point.ele - low;
                  low = point.ele;
                }
              }
              return gain;
            }
            """,
            start=20,
        ),
        bash(
            "rg -c '<trkpt' test/data/lakes.gpx; rg -c '<rtept' test/data/lakes.gpx; "
            "rg -n 'trkpt|rtept' src/gpx.ts",
            """
            8412
            8390
            27:  const points = [...doc.querySelectorAll("trkpt, rtept")].map(toPoint);
            """,
        ),
        say(
            """
            The file holds the ride twice: a recorded track of 8,412 points and the planned route of
            8,390 that the device followed. `parse` in `src/gpx.ts` selects `trkpt, rtept` in one
            go, so the climb of the route is added to that of the track. The smoothing is not to
            blame; elevation gain of the track alone is 1,452 m.
            """
        ),
        ask(
            """
            Ah. Take the track if there is one, the route only without a track. A small file is
            enough for the test.
            """
        ),
        edit(
            "src/gpx.ts",
            '  const points = [...doc.querySelectorAll("trkpt, rtept")].map(toPoint);\n',
            """
              const track = [...doc.querySelectorAll("trkpt")];
              const chosen = track.length ? track : [...doc.querySelectorAll("rtept")];
              const points = chosen.map(toPoint);
            """,
        ),
        bash(
            "pnpm tsc --noEmit && pnpm vitest run",
            "src/profile.ts(22,13): error TS2532: Object is possibly 'undefined'.",
            fails=2,
            took=5,
        ),
        edit(
            "src/profile.ts",
            "  let low = points[0].ele;\n",
            "  let low = points[0]?.ele ?? 0;\n",
        ),
        bash(
            "pnpm tsc --noEmit && pnpm vitest run",
            " Test Files  7 passed (7)\n      Tests  46 passed (46)",
            took=8,
        ),
        refused(
            bash('git add -A && git commit -m "fix(gpx): count the track alone"'),
            """
            Never commit to main directly, always open a branch first. Main is published by itself,
            so this would have been out without a review.
            """,
        ),
        bash("git switch -c fix/elevation-gain", "Switched to a new branch 'fix/elevation-gain'"),
        Branch("fix/elevation-gain"),
        commit(
            "fix/elevation-gain",
            "fix(gpx): take the recorded track, and the route only without one",
            """
            Devices that follow a planned route write both into the file. The parser took the points
            of both, so elevation gain and distance were about twice what they should be.

            An empty file now gives an elevation gain of 0; it used to fail on the first point.
            """,
            "4 files changed, 57 insertions(+), 3 deletions(-)",
        ),
        *pull_request(
            "Take the recorded track, and the route only without one",
            "Files of devices that follow a route had twice the climb.",
            58,
            "trailmap",
        ),
        say(
            """
            Pull request 58 is open. trailmap now takes the recorded track and falls back to the
            planned route only in files without one, because devices write both and the climb of
            both was added up. The lakes ride has 1,452 m of elevation gain now.
            """
        ),
        ask("And why 3 m of smoothing, is that a good default?"),
        think(
            """
            Barometer against GPS noise. I can say what 3 m does on this file, and where it comes
            from: the default in config.ts.
            """
        ),
        bash(
            "for m in 1 2 3 5 10; do node dist/cli.js profile test/data/lakes.gpx -gs $m; done",
            """
            1 m: 1741
            2 m: 1533
            3 m: 1452
            5 m: 1431
            10 m: 1388
            """,
            took=4,
        ),
        say(
            """
            Yes, for devices with a barometer, because from 3 m on elevation gain hardly falls any
            more: 1,452 against 1,431 at 5 m, while 1 m counts noise as climbing. Without a
            barometer it takes 5 to 10 m, but the file does not say which kind of device it was.

            Config loading takes `smooth` from the project's file, so that a folder with rides of
            one device can have its own.
            """
        ),
    ),
)

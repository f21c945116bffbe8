"""trailmap reads a config file, and unset flags no longer win over it."""

from bench.sample_sessions.script import (
    Session,
    ask,
    bash,
    choose,
    commit,
    create,
    edit,
    read,
    say,
    steer,
    switch,
)

SESSION = Session(
    project="trailmap",
    began="2026-10-06T14:22:00",
    version="2.1.318",
    title="Config file for trailmap",
    steps=(
        ask(
            """
            trailmap takes all its settings from flags. I want a config file as well: one in the
            project, one in the home directory, and flags on top. What do we have so far?
            """
        ),
        read(
            "src/cli.ts",
            """
            program
              .name("trailmap")
              .option("-u, --units <units>", "metric or imperial")
              .option("-s, --smooth <metres>", "ignore climbs below this", parseFloat)
              .option("-o, --out <file>", "where to write the profile");
            """,
            start=11,
        ),
        choose(
            "Which format should the config file have?",
            "Format",
            {
                "JSON": "No parser to add; no comments",
                "TOML": "Comments; one more package in the binary",
                "YAML": "Comments; a large package",
            },
            "JSON",
        ),
        *switch("feat/config-file"),
        create(
            "src/config.ts",
            """
            export type Config = { units: "metric" | "imperial"; smooth: number; out?: string };

            export const defaults: Config = { units: "metric", smooth: 3 };

            export function load(flags: Partial<Config>, paths: string[]): Config {
              const layers = paths.filter(existsSync).map((path) => parse(readFileSync(path, \\
                  "utf8")));
              return Object.assign({}, defaults, ...layers, flags);
            }

            export function sourceOf(key: keyof Config, layers: Layer[]): string {
              return layers.findLast((layer) => key in layer.values)[0].path;
            }
            """,
        ),
        create(
            "test/config.test.ts",
            """
            test("the project's file wins over the user's", () => {
              write("home/config.json", { units: "metric" });
              write("project/trailmap.json", { units: "imperial" });
              expect(run(["profile", "ride.gpx"]).config.units).toBe("imperial");
            });
            """,
        ),
        bash(
            "pnpm tsc --noEmit",
            "src/config.ts(11,10): error TS2532: Object is possibly 'undefined'.",
            fails=2,
            took=5,
        ),
        edit(
            "src/config.ts",
            "  return layers.findLast((layer) => key in layer.values)[0].path;\n",
            '  return layers.findLast((layer) => key in layer.values)?.path ?? "defaults";\n',
        ),
        bash(
            "pnpm tsc --noEmit && pnpm vitest run",
            """
             \u276f test/config.test.ts (6 tests | 1 failed) 31ms
               \u00d7 the project's file wins over the user's 9ms

             FAIL  test/config.test.ts > the project's file wins over the user's
            AssertionError: expected 'metric' to be 'imperial' // Object.is equality

             Test Files  1 failed | 6 passed (7)
                  Tests  1 failed | 41 passed (42)
            """,
            fails=1,
            took=8,
        ),
        say(
            """
            The file is read, but the flags wipe it out: commander passes every option that was not
            given as `undefined`, and `Object.assign` copies a key whose value is `undefined`. An
            absent `--units` therefore overwrote the config file, and the default filled in
            afterwards.
            """
        ),
        steer("by the way, a typo in the config file has to be an error, not silently ignored"),
        edit(
            "src/config.ts",
            "  return Object.assign({}, defaults, ...layers, flags);\n",
            """
              const given = Object.entries(flags).filter(([, value]) => value !== undefined);
              return check(Object.assign({}, defaults, ...layers, Object.fromEntries(given)));
            """,
        ),
        bash(
            "pnpm tsc --noEmit && pnpm vitest run",
            " Test Files  7 passed (7)\n      Tests  44 passed (44)",
            took=8,
        ),
        commit(
            "feat/config-file",
            "feat(config): project file over user file over defaults, flags over all",
            """
            Config loading merges four layers in a fixed order. Config loading leaves out the flags
            that were not given, because commander passes them as `undefined` and `Object.assign`
            copies that over the value from the config file.

            Unknown keys in a config file are an error that names the file and the nearest known
            key: a typo that is ignored looks exactly like a setting that does not work.
            """,
            "5 files changed, 138 insertions(+), 9 deletions(-)",
        ),
        say(
            """
            trailmap now reads `trailmap.json` in the project, then
            `~/.config/trailmap/config.json`, and flags win over both. The config file is JSON, so
            that no parser has to be added to the binary. An unknown key stops with an error that
            names the file and the nearest key.

            Config loading can be looked into with `trailmap config --explain`, since a value that
            comes from a file two folders up is hard to find otherwise.
            """
        ),
    ),
)

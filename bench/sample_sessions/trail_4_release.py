"""A release whose binary named the version before: the release workflow, put in order."""

from bench.sample_sessions.script import (
    Branch,
    Session,
    ask,
    bash,
    commit,
    edit,
    pull_request,
    read,
    say,
    switch,
)

SESSION = Session(
    project="trailmap",
    began="2026-10-13T13:34:00",
    version="2.1.327",
    title="Release 0.9.0",
    steps=(
        ask(
            """
            I want to release 0.9.0. The last one went wrong: the binary of 0.8.3 says it is 0.8.2.
            Find out why before we do it again.
            """
        ),
        read(
            ".github/workflows/release.yml",
            """
            on:
              push:
                branches: [main]
            jobs:
              release:
                steps:
                  - run: pnpm build
                  - run: pnpm bundle
                  - run: npm version patch --no-git-tag-version
                  - run: npm publish
            """,
        ),
        say(
            """
            The steps are in the wrong order. `pnpm build` copies the version out of `package.json`
            into `dist/version.js`, and the release workflow raises the version only after that, so
            every binary carries the version of the release before. npm shows the right number
            because `npm publish` reads `package.json` itself.
            """
        ),
        ask(
            """
            Then let a tag decide: the release workflow runs on a tag, checks that package.json says
            the same, and builds once. I want no version bump inside of the workflow any more.
            """
        ),
        edit(
            ".github/workflows/release.yml",
            """
            on:
              push:
                branches: [main]
            """,
            """
            on:
              push:
                tags: ["v*"]
            """,
        ),
        edit(
            ".github/workflows/release.yml",
            """
                  - run: pnpm build
                  - run: pnpm bundle
                  - run: npm version patch --no-git-tag-version
                  - run: npm publish
            """,
            """
                  - run: node scripts/check-tag.mjs "$GITHUB_REF_NAME"
                  - run: pnpm build && pnpm bundle
                  - run: node dist/trailmap --version | grep -Fx "${GITHUB_REF_NAME#v}"
                  - run: npm publish
            """,
        ),
        bash(
            "git add -A && git commit -qm 'ci: release from a tag' && git push origin main",
            """
            remote: error: GH006: Protected branch update failed for refs/heads/main.
            To git.example.com:robin/trailmap.git
             ! [remote rejected] main -> main (protected branch hook declined)
            error: failed to push some refs to 'git.example.com:robin/trailmap.git'
            """,
            fails=1,
            took=4,
        ),
        ask(
            """
            As I said: never commit to main directly, always open a branch first. Undo that commit
            here and put it on a branch.
            """,
            after=20,
        ),
        bash(
            "git reset -q --soft HEAD~1 && git switch -c ci/release-from-tag",
            "Switched to a new branch 'ci/release-from-tag'",
        ),
        Branch("ci/release-from-tag"),
        say(
            """
            The commit is taken back here and its changes are on the branch `ci/release-from-tag`.
            Nothing had reached the remote, since main is protected there.
            """
        ),
        ask("good, now run everything and open the pull request"),
        bash(
            "pnpm tsc --noEmit && pnpm vitest run && pnpm build && pnpm bundle "
            "&& node dist/trailmap --version",
            """
            src/version.ts(3,22): error TS2307: Cannot find module '../dist/version.js' or its \\
                corresponding type declarations.
            """,
            fails=2,
            took=5,
        ),
        edit(
            "src/version.ts",
            'import { version } from "../dist/version.js";\n',
            'import { version } from "../package.json" with { type: "json" };\n',
        ),
        bash(
            "pnpm tsc --noEmit && pnpm vitest run && pnpm build && pnpm bundle "
            "&& node dist/trailmap --version",
            " Test Files  9 passed (9)\n      Tests  58 passed (58)\n0.8.3",
            took=21,
        ),
        commit(
            "ci/release-from-tag",
            "ci(release): release from a tag and let the binary prove its version",
            """
            The release workflow raised the version after the build, so every binary carried the
            version of the release before. The release workflow now fails if the tag and
            `package.json` differ; the version is raised in the pull request before.

            `dist/version.js` is gone: a copy of the version that is made by the build can be stale,
            the import of `package.json` cannot. The release workflow runs the binary before it
            publishes, because only that proves which version was built.
            """,
            "5 files changed, 44 insertions(+), 17 deletions(-)",
        ),
        *pull_request(
            "Release from a tag",
            "Every binary carried the version of the release before.",
            61,
            "trailmap",
        ),
        say(
            """
            Pull request 61 puts the release in order. The release workflow starts from a tag
            instead of a push to main, because only a tag says which version is meant. The version
            is raised beforehand, and nothing is published whose binary prints another one than the
            tag.

            A release tag cannot be moved after `npm publish`, because npm never takes the same
            version twice: a broken release needs the next number. So 0.9.0 is tagged only when the
            dry run has passed.
            """
        ),
        ask("Merged. Now 0.9.0: changelog entry and version, and dry run the workflow.", after=600),
        Branch("main"),
        bash("git switch -q main && git pull -q && git log --oneline -1", "7d1c0aa Merge #61"),
        *switch("release/0.9.0"),
        edit("package.json", '  "version": "0.8.3",\n', '  "version": "0.9.0",\n'),
        edit(
            "CHANGELOG.md",
            "# Changelog\n",
            """
            # Changelog

            ## 0.9.0

            - Config file: project over user over defaults
            - Log in and upload to Ridgeline
            - Elevation gain no longer counts a planned route
            """,
        ),
        bash(
            "pnpm build && pnpm bundle && node dist/trailmap --version && npm publish --dry-run",
            "0.9.0\n+ trailmap@0.9.0 (dry run)",
            took=19,
        ),
        commit(
            "release/0.9.0",
            "chore(release): 0.9.0",
            "The dry run of the release workflow passed; the binary says 0.9.0.",
            "2 files changed, 9 insertions(+), 1 deletion(-)",
        ),
        say(
            """
            The branch `release/0.9.0` is ready and the dry run passed: the binary prints 0.9.0.
            After the merge one command is left, and it is yours: `git tag v0.9.0 && git push origin
            v0.9.0` starts the release workflow.
            """
        ),
    ),
)

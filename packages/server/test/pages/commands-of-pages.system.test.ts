/**
 * The commands of the README and of every page, typed into a shell in order, in a fresh copy of the checkout or with
 * the installed package. Each succeeds and prints the output that its page shows.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DECLARED, RUN_BY_OTHER_TESTS } from './declared-commands.ts';
import { commandsOf, PAGES, type PageCommand, ROOT } from './page-commands.ts';
import { PLAYS, type Play } from './plays.ts';
import { Stage } from './stage.ts';

const NO_SHELL = process.platform === 'win32' && 'the pages have commands for a POSIX shell';
const NO_GIT = !existsSync(join(ROOT, '.git')) && 'needs a checkout to copy';
/** Programs that a reader may lack; all others are on every system, or come with the checkout. */
const OPTIONAL_PROGRAMS = ['jq'];

const pages = PAGES.map((page) => ({ page, commands: commandsOf(page) }));
/** How many commands had each fate. */
const fates = new Map<string, number>();
const counted = (fate: string) => void fates.set(fate, (fates.get(fate) ?? 0) + 1);

/** Why a command is not run; undefined if it is. */
function reasonAgainst({ text }: PageCommand): string | undefined {
  const [program = ''] = text.split(' ');
  const isAbsent = OPTIONAL_PROGRAMS.includes(program) && spawnSync(program, ['--version']).error !== undefined;
  return DECLARED[text] ?? (isAbsent ? `needs ${program}, which is not installed` : undefined);
}

/** Runs the commands of a page. */
async function play(stage: Stage, given: Play, commands: readonly PageCommand[]): Promise<void> {
  const { prepare, before: prepared = {}, prints = {} } = given;
  const replaced = { ...(await prepare?.(stage)) };
  let last = commands[0]?.section;
  for (const command of commands) {
    const { section, text } = command;
    if (section !== last) await stage.run(`cd '${stage.root}'`);
    last = section;
    const reason = reasonAgainst(command);
    counted(reason ?? 'run');
    if (reason !== undefined) continue;
    for (const [part, prepareCommand] of Object.entries(prepared))
      if (text.includes(part)) Object.assign(replaced, await prepareCommand(stage));
    const typed = Object.entries(replaced).reduce((line, [from, to]) => line.replaceAll(from, to), text);
    const { status, out, err } = await stage.type(text, typed);
    assert.equal(status, 0, `${typed}\n${out}\n${err}`);
    const expected = Object.entries(prints).filter(([part]) => text.includes(part));
    for (const [, form] of expected) assert.match(out + err, form, typed);
    // `curl` succeeds with any answer.
    if (expected.length === 0) assert.doesNotMatch(out, /^\{"[^\n]*"error":/m, typed);
  }
}

/** Whether a page has a command to run here. */
const isPlayed = ({ page, commands }: (typeof pages)[number]) =>
  RUN_BY_OTHER_TESTS[page] === undefined && commands.some((command) => reasonAgainst(command) === undefined);

describe('the commands of the pages', { skip: NO_SHELL || NO_GIT, concurrency: 2 }, () => {
  const place = mkdtempSync(join(tmpdir(), 'latchkey-pages-'));
  after(() => rmSync(place, { recursive: true, force: true }));

  describe('that assume a running service', { concurrency: 1 }, () => {
    let stage: Stage;
    before(async () => {
      stage = new Stage(join(place, 'with-service'));
      await stage.run('npm start');
    });
    after(async () => {
      await stage.shell.stop();
      await stage.close();
    });
    for (const { page, commands } of pages)
      if (PLAYS[page]?.usesService)
        it(`succeed on ${page}`, async () => {
          await stage.run(`cd '${stage.root}'`);
          await play(stage, PLAYS[page]!, commands);
        });
  });

  for (const { page, commands } of pages.filter(isPlayed))
    if (!PLAYS[page]?.usesService)
      it(`succeed on ${page}`, async () => {
        const stage = new Stage(join(place, page.replaceAll(/\W/g, '-')));
        try {
          await play(stage, PLAYS[page] ?? {}, commands);
          await stage.shell.stop();
          if (PLAYS[page]?.leavesNothing) assert.deepEqual(stage.untracked(), []);
        } finally {
          await stage.close();
        }
      });

  it('have a reason where no command of a page is run', () => {
    for (const { page, commands } of pages.filter((each) => !isPlayed(each)))
      for (const command of commands)
        counted(RUN_BY_OTHER_TESTS[page] === undefined ? reasonAgainst(command)! : 'run by another test');
    for (const file of Object.values(RUN_BY_OTHER_TESTS)) assert.ok(existsSync(join(ROOT, file)), file);
  });

  it('are declared only if a page has them', () => {
    const all = new Set(pages.flatMap(({ commands }) => commands.map(({ text }) => text)));
    assert.deepEqual(
      Object.keys(DECLARED).filter((text) => !all.has(text)),
      [],
    );
    for (const page of [...Object.keys(PLAYS), ...Object.keys(RUN_BY_OTHER_TESTS)])
      assert.ok(PAGES.includes(page), `${page} has no commands`);
    for (const { page, commands } of pages)
      for (const part of Object.keys({ ...PLAYS[page]?.before, ...PLAYS[page]?.prints }))
        assert.ok(
          commands.some(({ text }) => text.includes(part)),
          `no command of ${page} has ${part}`,
        );
  });
});

describe('the commands of the pages, counted', { skip: NO_SHELL || NO_GIT }, () => {
  it('are run, or have a reason', (test) => {
    for (const [fate, count] of fates) test.diagnostic(`${count} commands: ${fate}`);
    const all = pages.reduce((sum, { commands }) => sum + commands.length, 0);
    assert.equal(
      [...fates.values()].reduce((sum, count) => sum + count, 0),
      all,
    );
  });
});

/** The functions of docs/shops/events.md that verify an event, each in a process of its language. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DAY_MS, systemClock } from '../../../src/ground/base/clock.ts';
import { sign } from '../../../src/webhooks/deliveries/signature.ts';
import { mintDestinationSecret } from '../../../src/webhooks/destinations/secret.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { blockWith } from './events-page.ts';

/** A language of the page: its code in a program that reads cases as JSON and prints a list of answers as JSON. */
interface Language {
  readonly name: string;
  readonly file: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly version: string;
  readonly code: () => string;
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'JavaScript',
    file: 'verify.mjs',
    program: process.execPath,
    args: [],
    version: '--version',
    code: () => `import { readFileSync } from 'node:fs';
${blockWith('js', 'function isGenuine')}
const cases = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(cases.map(({ body, headers, secret }) => isGenuine(body, headers, secret))));`,
  },
  {
    name: 'Python',
    file: 'verify.py',
    program: 'python3',
    args: [],
    version: '--version',
    code: () => `${blockWith('python', 'def is_genuine')}
import json, sys
cases = json.load(sys.stdin)
print(json.dumps([is_genuine(each["body"].encode(), each["headers"], each["secret"]) for each in cases]))`,
  },
  {
    name: 'Go',
    file: 'verify.go',
    program: 'go',
    args: ['run'],
    version: 'version',
    code: () => {
      const [, imports = '', rest = ''] =
        /^import \(([\s\S]*?)\n\)([\s\S]*)$/.exec(blockWith('go', 'func isGenuine')) ?? [];
      return `package main
import (${imports}
	"encoding/json"
	"os"
)
${rest}
type sent struct { Body string; Headers map[string]string; Secret string }
func main() {
	var cases []sent
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil { panic(err) }
	answers := []bool{}
	for _, each := range cases {
		headers := http.Header{}
		for name, value := range each.Headers { headers.Set(name, value) }
		answers = append(answers, isGenuine([]byte(each.Body), headers, each.Secret))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}`;
    },
  },
  {
    name: 'PHP',
    file: 'verify.php',
    program: 'php',
    args: [],
    version: '--version',
    code: () => `<?php
${blockWith('php', 'function is_genuine')}
$cases = json_decode(stream_get_contents(STDIN), true);
echo json_encode(array_map(fn ($each) => is_genuine($each['body'], $each['headers'], $each['secret']), $cases));`,
  },
  {
    name: 'Ruby',
    file: 'verify.rb',
    program: 'ruby',
    args: [],
    version: '--version',
    code: () => `${blockWith('ruby', 'def genuine')}
require "json"
cases = JSON.parse(STDIN.read)
puts JSON.generate(cases.map { |each| genuine?(each["body"], each["headers"], each["secret"]) })`,
  },
];

const [SECRET, PREVIOUS, OTHER] = [mintDestinationSecret(), mintDestinationSecret(), mintDestinationSecret()];
const BODY = JSON.stringify({ type: 'license.created', data: { after: { text: 'Grüße, 日本' } } });

/** Requests, each with the expected answer. */
function cases() {
  const now = systemClock();
  const signed = (secrets: readonly string[], at = now) => sign('evt_1', at, BODY, secrets);
  const genuine = { body: BODY, headers: signed([SECRET]), secret: SECRET, isGenuine: true };
  const rotated = { ...genuine, headers: signed([SECRET, PREVIOUS]) };
  const forged = { ...genuine, isGenuine: false };
  const withHeader = (header: object) => ({ ...forged, headers: { ...genuine.headers, ...header } });
  return [
    { name: 'a genuine event', ...genuine },
    { name: 'the new secret of a rotation', ...rotated },
    { name: 'the previous one', ...rotated, secret: PREVIOUS },
    { name: 'another secret', ...forged, secret: OTHER },
    { name: 'a changed body', ...forged, body: `${BODY} ` },
    { name: 'an old event', ...forged, headers: signed([SECRET], now - DAY_MS) },
    { name: 'one of the future', ...forged, headers: signed([SECRET], now + DAY_MS) },
    { name: 'signatures without sense', ...withHeader({ 'webhook-signature': 'v1,ä v2,x v1, v1,AAAA' }) },
    { name: 'a timestamp that is none', ...withHeader({ 'webhook-timestamp': 'x' }) },
    { name: 'no headers', ...forged, headers: {} },
  ];
}

describe('the functions of docs/shops/events.md', () => {
  const directory = temporaryFolder();

  for (const { name, file, program, args, version, code } of LANGUAGES)
    it(`verify events in ${name}`, async (test) => {
      if (spawnSync(program, [version]).error !== undefined) return test.skip(`${program} is not installed`);
      await writeFile(join(directory, file), code());
      const given = cases();
      const { stdout, stderr } = spawnSync(program, [...args, join(directory, file)], {
        input: JSON.stringify(given),
        encoding: 'utf8',
        env: {
          ...process.env,
          HOME: directory,
          GOFLAGS: '-mod=mod',
          GOTOOLCHAIN: 'local',
          GOCACHE: join(directory, 'go'),
        },
      });
      assert.notEqual(stdout, '', stderr);
      const answers: boolean[] = JSON.parse(stdout);
      assert.deepEqual(
        given.map((each, index) => `${each.name}: ${answers[index]}`),
        given.map((each) => `${each.name}: ${each.isGenuine}`),
      );
    });
});

/** Tests the parts, follows the page of this client word for word, and runs the example for Unity with the real service. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN_SECRET } from '../../../packages/server/test/support/app.ts';
import { listingsOf, ROOT, run } from '../../conformance/pages.ts';
import { World } from '../../conformance/world.ts';

const PLACEHOLDER = 'https://licenses.example.com';
const FOLDER = join(ROOT, 'clients/csharp');
const STRICT = ['-langversion:7', '-warn:4', '-warnaserror'];
const LIBRARIES = ['-r:System.Net.Http', '-r:System.Numerics'];
/** Listings whose parts stand outside of functions. */
const MEMBER = /^(static|public|sealed) /;

/** One program that runs every fragment of the page. */
function programOf(fragments: readonly string[]): string {
  const inside = fragments.filter((text) => !MEMBER.test(text));
  const blocks = inside.map((text) => `{\n${text}\n}`).join('\n');
  return `using System;
using System.Threading;
using System.Threading.Tasks;
using Latchkey;

static class Fragments
{
    ${fragments.filter((text) => MEMBER.test(text)).join('\n')}

    static void Main(string[] arguments)
    {
        RunAsync(arguments[0], "no file").GetAwaiter().GetResult();
    }

    static async Task RunAsync(string key, string textOfFile)
    {
        var options = new LatchkeyOptions { Servers = new[] { "${PLACEHOLDER}" }, ProductId = "my-app" };
        var app = new LatchkeyClient(options);
        await app.StartAsync();
        Console.WriteLine(SentenceOf(app.State));
        ${blocks}
        await app.CloseAsync();
        var last = new LatchkeyClient(options);
        await last.StartAsync();
        await last.ActivateAsync(key);
        Console.WriteLine(SentenceOf(last.State));
        await last.CloseAsync();
    }
}
`;
}

/** A program that runs the fragment for Unity in its main thread. */
function unityProgramOf(fragment: string): string {
  return `using System.IO;
using System.Threading.Tasks;
using Latchkey;
using UnityEngine;

static class InUnity
{
    static void Main()
    {
        var loop = PlayerLoop.Begin();
        var ran = RunAsync();
        loop.PlayUntil(() => ran.IsCompleted);
        ran.GetAwaiter().GetResult();
    }

    static async Task RunAsync()
    {
        ${fragment}
        System.Console.WriteLine(license.State.Status);
        await license.CloseAsync();
    }
}
`;
}

const specification = readFileSync(join(FOLDER, 'Latchkey.Client.nuspec'), 'utf8');
const project = readFileSync(join(FOLDER, 'Latchkey.Client.csproj'), 'utf8');
const unity = JSON.parse(readFileSync(join(FOLDER, 'unity/package.json'), 'utf8'));
const fieldOf = (text: string, name: string) => new RegExp(`<${name}[^>]*>([^<]+)</${name}>`).exec(text)?.[1];
for (const [inProject, inPackage] of [
  ['PackageId', 'id'],
  ['Version', 'version'],
  ['Description', 'description'],
  ['PackageLicenseExpression', 'license'],
  ['PackageReadmeFile', 'readme'],
] as const)
  assert.equal(fieldOf(project, inProject), fieldOf(specification, inPackage), inPackage);
assert.equal(unity.version, fieldOf(specification, 'version'));

const listings = listingsOf('docs/apps/csharp.md')
  .filter(({ language }) => language === 'csharp')
  .map(({ text }) => text);
const isOfUnity = (text: string) => text.includes('UnityWebRequestTransport');
const world = await World.start();
const folder = mkdtempSync(join(tmpdir(), 'latchkey-page-'));
try {
  const library = join(folder, 'Latchkey.Client.dll');
  const documentation = join(folder, 'Latchkey.Client.xml');
  const sources = `-recurse:${join(FOLDER, 'src')}/*.cs`;
  // With documentation, the compiler warns of public members without any.
  await run('mcs', [...STRICT, '-target:library', `-doc:${documentation}`, `-out:${library}`, ...LIBRARIES, sources]);
  assert.ok(existsSync(documentation));
  const server = `${world.origin}/page/0`;
  const licenseOf = async (productId: string): Promise<string> =>
    (await world.service.admin('/createLicense', { email: 'ada@example.com', productId, maxMachines: 30 })).licenseKey;
  const key = await licenseOf('my-app');
  const build = async (name: string, text: string, ...more: readonly string[]): Promise<string> => {
    const source = join(folder, `${name}.cs`);
    const program = join(folder, `${name}.exe`);
    writeFileSync(source, text.replaceAll(PLACEHOLDER, server));
    await run('mcs', [...STRICT, `-out:${program}`, `-r:${library}`, ...more, source]);
    return program;
  };
  const state = (name: string) => ({ XDG_STATE_HOME: join(folder, name), UNITY_DATA: join(folder, name) });

  const [program = '', ...fragments] = listings;
  assert.match(program, /static void Main/);
  const tenLines = await build('ten-lines', program);
  assert.equal(await run('mono', [tenLines], state('ten')), 'Unlicensed: the app does not run\n');
  assert.equal(await run('mono', [tenLines, key], state('ten')), 'Licensed: the app runs\n');
  assert.equal(await run('mono', [tenLines], state('ten')), 'Licensed: the app runs\n', 'the key was stored');

  assert.ok(fragments.length >= 12, `${fragments.length} fragments`);
  const all = await build('fragments', programOf(fragments.filter((text) => !isOfUnity(text))));
  const said = await run('mono', [all, key], state('fragments'));
  assert.match(said, /^Please enter your license key\.$/m);
  assert.match(said, /^Unlicensed -> Licensed$/m);
  assert.match(said, /^1 seats$/m);
  assert.match(said, /^not counted: meter_not_found$/m);
  assert.match(said, /^-----BEGIN LATCHKEY REQUEST-----$/m);
  assert.match(said, /^this file is not valid here: format$/m);
  assert.match(said, /^asking http/m);
  assert.match(said, /Licensed, key ending in \w+\.\n$/);

  const standIn = [join(FOLDER, 'unity/UnityWebRequestTransport.cs'), join(FOLDER, 'test/UnityStandIn.cs')];
  const [ofUnity = ''] = fragments.filter(isOfUnity);
  const inUnity = await build('unity', unityProgramOf(ofUnity), ...LIBRARIES, ...standIn);
  assert.equal(await run('mono', [inUnity], state('unity')), 'Unlicensed\n');

  const compile = (name: string) => run('mcs', [`@test/${name}.rsp`], {}, FOLDER);
  await compile('unity');
  const { issuer, publicKeys } = await world.trust();
  const signing = [issuer, publicKeys[0]?.kid ?? '', publicKeys[0]?.x ?? ''];
  const gameKey = await licenseOf('app');
  for (const keys of [[], signing]) {
    const component = await run('mono', [join(FOLDER, 'build/unity.exe'), server, gameKey, ...keys], state('game'));
    assert.match(component, /^False Please enter your license key\.$/m);
    assert.match(component, /^This license key is unknown\./m);
    assert.match(component, /^Licensed, key ending in \w+\.$/m);
    assert.match(component, /the component ran\n$/);
  }

  await compile('tests');
  mkdirSync(join(folder, 'live'));
  // A license has 15 activations an hour.
  const liveKey = await licenseOf('my-app');
  const service = {
    LATCHKEY_SERVER: server,
    LATCHKEY_ADMIN_SECRET: ADMIN_SECRET,
    LATCHKEY_KEY: liveKey,
    LATCHKEY_FOLDER: join(folder, 'live'),
  };
  const tested = await run('mono', ['build/tests.exe'], service, FOLDER);
  process.stdout.write(tested);
  process.stdout.write(`the page is right: a program, ${fragments.length} fragments, the example and the tests ran\n`);
} finally {
  rmSync(folder, { recursive: true });
  await world.stop();
}

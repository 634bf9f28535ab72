/** docs/vectors/license-files.json, and the programs of docs/apps/license-files.md that must agree with it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { codeUnder } from './code-blocks.ts';
import { exportsOf, readLicenseFile } from './reading.ts';
import { type Vectors, vectorsText } from './vectors.ts';

const FILE = new URL('../../../../../docs/vectors/license-files.json', import.meta.url);
/** Rewrites the vectors after a change of the format: `LATCHKEY_TEST_WRITE_VECTORS=1`. */
if (process.env.LATCHKEY_TEST_WRITE_VECTORS) writeFileSync(FILE, vectorsText());

const text = readFileSync(FILE, 'utf8');
const { expected, accepted, refused } = JSON.parse(text) as Vectors;
const run = promisify(execFile);

/** The required output of a program: a line for each vector. */
const VERDICTS = [...accepted.map(({ name }) => `accepted ${name}`), ...refused.map(({ name }) => `refused ${name}`)];

/** Whether a program exits with 0. */
const works = (program: string, ...args: readonly string[]) =>
  run(program, args).then(
    () => true,
    () => false,
  );

const PYTHON_MAIN = `
import sys

vectors = json.load(open(sys.argv[1], encoding="utf-8"))
for vector in vectors["accepted"] + vectors["refused"]:
    carried = {**vectors["expected"], **vector.get("expected", {})}
    claims = read_license_file(
        vector["file"],
        carried["issuer"],
        carried["publicKeys"],
        carried["productId"],
        carried["fingerprint"],
        carried["now"],
    )
    assert claims is None or claims == vector.get("claims", claims)
    print("refused" if claims is None else "accepted", vector["name"])
`;

import { temporaryFolder } from '../../support/temporary-folder.ts';

const RUST_MAIN = `
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let vectors: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let all = vectors["accepted"].as_array().unwrap().iter().chain(vectors["refused"].as_array().unwrap());
    for vector in all {
        let carried = |name: &str| match vector["expected"].get(name) {
            Some(own) => own.clone(),
            None => vectors["expected"][name].clone(),
        };
        let text = |value: &Value| value.as_str().unwrap().to_string();
        let keys: Vec<(String, String)> =
            carried("publicKeys").as_array().unwrap().iter().map(|key| (text(&key["kid"]), text(&key["x"]))).collect();
        let (issuer, product, fingerprint) =
            (text(&carried("issuer")), text(&carried("productId")), text(&carried("fingerprint")));
        let expected = Expected {
            issuer: &issuer,
            public_keys: &keys,
            product_id: &product,
            fingerprint: &fingerprint,
            now: carried("now").as_i64().unwrap(),
        };
        let claims = read_license_file(vector["file"].as_str().unwrap(), &expected);
        if let (Some(read), Some(right)) = (&claims, vector.get("claims")) {
            assert_eq!(read, right);
        }
        println!("{} {}", if claims.is_some() { "accepted" } else { "refused" }, vector["name"].as_str().unwrap());
    }
}
`;

const GO_MAIN = `package main

import (
	"encoding/json"
	"fmt"
	"os"

	"vectors/license"
)

type carried struct {
	Issuer      *string
	PublicKeys  *[]struct{ Kid, X string }
	ProductID   *string
	Fingerprint *string
	Now         *int64
}

type vector struct {
	Name     string
	File     string
	Expected json.RawMessage
}

func main() {
	text, _ := os.ReadFile(os.Args[1])
	var vectors struct {
		Expected          json.RawMessage
		Accepted, Refused []vector
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		panic(err)
	}
	for _, each := range append(vectors.Accepted, vectors.Refused...) {
		var all carried
		if err := json.Unmarshal(vectors.Expected, &all); err != nil {
			panic(err)
		}
		if each.Expected != nil {
			if err := json.Unmarshal(each.Expected, &all); err != nil {
				panic(err)
			}
		}
		keys := map[string]string{}
		for _, key := range *all.PublicKeys {
			keys[key.Kid] = key.X
		}
		expected := license.Expected{
			Issuer: *all.Issuer, PublicKeys: keys, ProductID: *all.ProductID, Fingerprint: *all.Fingerprint, Now: *all.Now,
		}
		verdict := "accepted"
		if license.ReadLicenseFile(each.File, expected) == nil {
			verdict = "refused"
		}
		fmt.Println(verdict, each.Name)
	}
}
`;

const CARGO_MANIFEST = `[package]
name = "license-file-vectors"
version = "0.0.0"
edition = "2021"

[dependencies]
base64 = "0.22"
ed25519-dalek = "2"
serde_json = "1"
sha2 = "0.10"
`;

describe('the test vectors of license files', () => {
  it('are those that the service would write and nobody may accept', () => {
    assert.equal(text, vectorsText(), 'the committed file is out of date');
    assert.ok(accepted.length >= 10 && refused.length >= 30);
    assert.equal(new Set(VERDICTS.map((each) => each.replace(/^\w+ /, ''))).size, VERDICTS.length);
  });

  it('are accepted and refused by the program in TypeScript', () => {
    for (const { name, file, claims, expected: own } of accepted)
      assert.deepEqual(readLicenseFile(file, { ...expected, ...own }), claims, name);
    for (const { name, file, expected: own } of refused)
      assert.equal(readLicenseFile(file, { ...expected, ...own }), null, name);
  });

  it('are refused by it after any change of a letter', () => {
    const [{ file }] = accepted as [Vectors['accepted'][number]];
    const jws = file.replace(/-----[A-Z ]+-----|\s/g, '');
    // The last letter has some unused bits.
    for (let at = 0; at < jws.length - 1; at += 1) {
      const other = jws[at] === 'A' ? 'B' : 'A';
      assert.equal(readLicenseFile(`${jws.slice(0, at)}${other}${jws.slice(at + 1)}`, expected), null, `at ${at}`);
    }
  });

  it('have signatures that WebCrypto finds as good', async () => {
    const { isSigned } = (await exportsOf('TypeScript (browsers, workers, Deno, Bun)')) as {
      isSigned(head: string, body: string, signature: string, x: string): Promise<boolean>;
    };
    const [key] = expected.publicKeys;
    const parts = ({ file }: { readonly file: string }) =>
      file.replace(/-----[A-Z ]+-----|\s/g, '').split('.') as [string, string, string];
    const byFirst = ({ file }: { readonly file: string }) => {
      const [head] = parts({ file });
      return JSON.parse(Buffer.from(head, 'base64url').toString()).kid === key?.kid;
    };
    const good = accepted.filter(byFirst);
    assert.ok(good.length > 5);
    for (const vector of good) assert.ok(await isSigned(...parts(vector), key?.x ?? ''), vector.name);
    for (const name of ['signed by a foreign key under a known name', 'with a letter of the payload changed']) {
      const vector = refused.find((each) => each.name === name);
      assert.ok(vector !== undefined);
      assert.equal(await isSigned(...parts(vector), key?.x ?? ''), false, name);
    }
  });

  it('are accepted and refused by the program in Python', async (test) => {
    if (!(await works('python3', '-c', 'import cryptography'))) return test.skip('needs python3 with cryptography');
    const program = join(temporaryFolder(test), 'read.py');
    await writeFile(program, codeUnder('Python') + PYTHON_MAIN);
    const { stdout } = await run('python3', [program, fileURLToPath(FILE)], {
      env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
    });
    assert.deepEqual(stdout.trimEnd().split('\n'), VERDICTS);
  });

  it('are accepted and refused by the program in Go', async (test) => {
    if (!(await works('go', 'version'))) return test.skip('needs go');
    const directory = temporaryFolder(test);
    await mkdir(join(directory, 'license'));
    await writeFile(join(directory, 'go.mod'), 'module vectors\n\ngo 1.19\n');
    await writeFile(join(directory, 'license', 'license.go'), codeUnder('Go'));
    await writeFile(join(directory, 'main.go'), GO_MAIN);
    const env = { ...process.env, GOCACHE: join(directory, 'cache'), GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
    const { stdout } = await run('go', ['run', '.', FILE.pathname], { cwd: directory, env });
    assert.deepEqual(stdout.trimEnd().split('\n'), VERDICTS);
  });

  it('are accepted and refused by the program in Rust', async (test) => {
    // It takes a minute, and downloads libraries from the registry of Rust.
    if (!process.env.LATCHKEY_TEST_RUST) return test.skip('runs with LATCHKEY_TEST_RUST=1, and needs cargo');
    const directory = temporaryFolder(test);
    await mkdir(join(directory, 'src'));
    await writeFile(join(directory, 'Cargo.toml'), CARGO_MANIFEST);
    await writeFile(join(directory, 'src', 'main.rs'), codeUnder('Rust') + RUST_MAIN);
    const { stdout } = await run('cargo', ['run', '--quiet', '--', FILE.pathname], { cwd: directory });
    assert.deepEqual(stdout.trimEnd().split('\n'), VERDICTS);
  });
});

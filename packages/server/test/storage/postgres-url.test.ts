import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError } from '../../src/runtime/config/config.ts';
import { readConfig } from '../../src/runtime/config/read-config.ts';
import { databaseWarnings } from '../../src/storage/opening/open.ts';
import { databaseName } from '../../src/storage/postgres/database-name.ts';
import { splitPostgresUrl } from '../../src/storage/postgres/postgres-url.ts';

const errorsOf = (url: string): readonly string[] => {
  try {
    readConfig({ DATABASE_URL: url });
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.errors;
  }
};

describe('a URL of PostgreSQL', () => {
  it('is one URL for each of its hosts, in its order', () => {
    for (const [url, expected] of [
      ['postgres://u:p@a:5432,b:5433/db', ['postgres://u:p@a:5432/db', 'postgres://u:p@b:5433/db']],
      ['postgresql://a,b,c', ['postgresql://a', 'postgresql://b', 'postgresql://c']],
      [
        'postgres://u:p@[::1]:1,[fd00::2]:2/db?sslmode=verify-full&application_name=a,b',
        [
          'postgres://u:p@[::1]:1/db?sslmode=verify-full&application_name=a,b',
          'postgres://u:p@[fd00::2]:2/db?sslmode=verify-full&application_name=a,b',
        ],
      ],
      ['postgres://u:a,b@c@host/db', ['postgres://u:a,b@c@host/db']],
      ['postgres://u:a,b@one,two/db', ['postgres://u:a,b@one/db', 'postgres://u:a,b@two/db']],
      ['postgres:///db?host=/run/postgresql', ['postgres:///db?host=/run/postgresql']],
    ] as const)
      assert.deepEqual(splitPostgresUrl(url), expected);
  });

  it('is taken with several hosts by the configuration, which shows nothing of one that it refuses', () => {
    assert.deepEqual(errorsOf('postgres://u:hidden@a:5432,b:5433/db?target_session_attrs=read-write'), []);
    for (const [url, expected] of [
      ['postgres://u:hidden@a:5432,/db', /before and after each comma/],
      ['postgres://u:hidden@,b/db', /before and after each comma/],
      ['postgres://u:hidden@a,:5433/db', /before and after each comma/],
      ['postgres://u:hidden@a:port,b/db', /name:port/],
      [`postgres://u:hidden@${Array(9).fill('a').join(',')}/db`, /8 hosts at most/],
      ['postgres://u:hidden@a,b/db?target_session_attrs=standby', /target_session_attrs/],
      ['postgres://u:hidden@a/db?engine=citus', /must not have the parameter engine/],
      ['postgres://u:hidden@a,b/db?application_name=1&engine=postgresql', /must not have the parameter engine/],
      ['mysql://u:hidden@a,b/db', /begins with postgres:/],
    ] as const) {
      const errors = errorsOf(url);
      assert.equal(errors.length, 1, url);
      assert.match(errors[0]!, expected);
      assert.doesNotMatch(errors[0]!, /hidden/);
    }
  });

  it('is named with all of its hosts and without its password, and each is looked at for encryption', () => {
    const database = {
      engine: 'postgres',
      url: 'postgres://ada:hidden@a.example:5432,localhost,b.example:6432/shop',
    } as const;
    assert.equal(
      databaseName(database),
      'PostgreSQL, database shop on a.example:5432, localhost:5432, b.example:6432 as ada',
    );
    const [warning = '', ...others] = databaseWarnings(database);
    assert.match(warning, /on a\.example, b\.example are not encrypted/);
    assert.deepEqual(others, []);
  });
});

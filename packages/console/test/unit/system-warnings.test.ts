/** The warnings about the system: limits and texts. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sizeText } from '../../src/parts/figures.ts';
import { certificateWarning, diskWarning, warningsOf } from '../../src/system/warnings.ts';
import { countriesText, namesText } from '../../src/system/words.ts';

type System = Parameters<typeof warningsOf>[0];

const AT = '2027-03-01T09:30:00.000Z';
const at = (milliseconds: number) => new Date(Date.parse(AT) + milliseconds).toISOString();

const WELL: System = {
  service: {
    version: '1.0.0',
    nodeJsVersion: '26.10.0',
    hostname: 'licenses-1',
    label: null,
    logLevel: 'info',
    time: AT,
    startedAt: AT,
    clock: { state: 'believed', believedAt: AT, believedFrom: null },
    memoryBytes: 1,
    reference: '/docs',
    openApi: '/openapi.json',
  },
  database: {
    engine: 'postgres',
    version: '17.2',
    location: 'latchkey on db:5432',
    bytes: 1,
    diskFreeBytes: null,
    diskTotalBytes: null,
    time: AT,
    migration: { version: 7, name: '0007_seven', appliedAt: AT, newestKnown: 7, state: 'current' },
  },
  certificate: {
    names: ['localhost'],
    validFrom: AT,
    endsAt: at(30 * 86_400_000),
    daysLeft: 30,
    selfSigned: true,
    trust: null,
  },
};

const withDatabase = (fields: Partial<System['database']>): System => ({
  ...WELL,
  database: { ...WELL.database, ...fields },
});
const aboutOf = (system: System) => warningsOf(system).map(({ about }) => about);

describe('warnings of the system', () => {
  it('are none if all is well or unknown, or SQLite has no clock', () => {
    assert.deepEqual(warningsOf(WELL), []);
    assert.deepEqual(warningsOf({ ...WELL, certificate: null }), []);
    assert.deepEqual(warningsOf(withDatabase({ time: null })), []);
  });

  it('begin with less than 30 days of a certificate', () => {
    const of = (daysLeft: number, selfSigned = true) => certificateWarning({ endsAt: AT, daysLeft, selfSigned });
    assert.equal(of(30), null);
    assert.deepEqual([of(29)?.tone, of(29)?.title], ['warn', 'The certificate ends in 29 days.']);
    assert.equal(of(1)?.title, 'The certificate ends in 1 day.');
    assert.equal(of(0)?.title, 'The certificate ends today or tomorrow.');
    assert.equal(of(-1)?.tone, 'danger');
    assert.match(of(-1)?.title ?? '', /^The certificate ended on .*2027/);
    assert.match(of(3)?.advice ?? '', /^Restart the service/);
    assert.match(of(3, false)?.advice ?? '', /^Put a new one in place of its files/);
  });

  it('report a certificate that is not valid yet', () => {
    const of = (validFrom: string, selfSigned: boolean) =>
      warningsOf({ ...WELL, certificate: { ...WELL.certificate!, validFrom, selfSigned } })[0];
    assert.deepEqual([of(AT, true), of(at(1), true)?.tone], [undefined, 'danger']);
    assert.match(of(at(730 * 86_400_000), true)?.title ?? '', /^The certificate is not valid before .*2029/);
    assert.match(of(at(1), true)?.advice ?? '', /creates a new certificate/);
    assert.match(of(at(1), false)?.advice ?? '', /or replace its files by/);
  });

  it('report a clock that the service does not believe', () => {
    const of = (state: System['service']['clock']['state']) =>
      warningsOf({ ...WELL, service: { ...WELL.service, clock: { state, believedAt: AT, believedFrom: null } } });
    assert.deepEqual(of('believed'), []);
    for (const state of ['ahead', 'behind', 'database', 'unknown'] as const)
      assert.equal(of(state)[0]?.about, 'belief');
    assert.match(of('ahead')[0]?.advice ?? '', /believed is .*2027\. Correct the clock .* latchkey believe-clock/);
  });

  it('begin with clocks that differ by more than five seconds, to either side', () => {
    for (const difference of [-5_000, 0, 5_000]) assert.deepEqual(aboutOf(withDatabase({ time: at(difference) })), []);
    const title = (difference: number) => warningsOf(withDatabase({ time: at(difference) }))[0]?.title;
    assert.equal(title(5_001), "The database's clock is 5 seconds ahead of that of the service.");
    assert.equal(title(-3_600_000), "The database's clock is 1 hour behind that of the service.");
  });

  it('begin with less than a tenth of the disk', () => {
    const of = (diskFreeBytes: number | null) => diskWarning({ diskFreeBytes, diskTotalBytes: 50_000_000_000 });
    assert.equal(of(5_000_000_000), null);
    assert.equal(of(null), null);
    assert.equal(of(4_999_999_999)?.title, 'The disk is nearly full: 5 GB of 50 GB are free.');
    assert.equal(of(0)?.title, 'The disk is nearly full: 0 bytes of 50 GB are free.');
  });

  it('distinguish tables that are ahead from tables that are behind', () => {
    const migration = { ...WELL.database.migration, version: 9, state: 'ahead' as const };
    assert.match(
      warningsOf(withDatabase({ migration }))[0]?.advice ?? '',
      /have version 9, this node knows 7\. Update/,
    );
    const behind = { ...migration, version: 6, state: 'behind' as const };
    assert.match(
      warningsOf(withDatabase({ migration: behind }))[0]?.advice ?? '',
      /have version 6, but this node needs 7\. Restart/,
    );
  });

  it('come with the most severe first', () => {
    const system = {
      ...withDatabase({ time: at(9_000), migration: { ...WELL.database.migration, state: 'behind' } }),
      certificate: { names: [], validFrom: AT, endsAt: AT, daysLeft: 3, selfSigned: false, trust: null },
    } as const;
    assert.deepEqual(aboutOf(system), ['migration', 'certificate', 'clocks']);
  });
});

describe('words of the system', () => {
  it('say sizes in units of a thousand', () => {
    assert.deepEqual([0, 999, 1_000, 42_491_904, 999_999_999, 31_138_512_896, 187_654_144, 5e15].map(sizeText), [
      '0 bytes',
      '999 bytes',
      '1 kB',
      '42.5 MB',
      '1,000 MB',
      '31.1 GB',
      '188 MB',
      '5,000 TB',
    ]);
  });

  it('say where countries come from', () => {
    const none = { header: null, file: null, fileBuiltAt: null };
    assert.equal(countriesText(none), 'Not known, no source is set');
    assert.equal(countriesText({ ...none, header: 'cf-ipcountry' }), 'The header cf-ipcountry');
    assert.equal(countriesText({ ...none, file: '/c.mmdb' }), 'A file');
    const both = countriesText({ header: 'x', file: '/c.mmdb', fileBuiltAt: '2026-01-01T12:00:00.000Z' });
    assert.match(both, /^The header x, then a file of .*2026$/);
  });

  it('name a certificate by its first names', () => {
    assert.equal(namesText([]), 'No name');
    assert.equal(namesText(['a', 'b']), 'a, b');
    assert.equal(namesText(['a', 'b', 'c', 'd', 'e', 'f']), 'a, b, c, d and 2 more');
  });
});

import Type from 'typebox';
import { SESSION_MS } from '../../access/console/session.ts';
import { DAY_MS, SECOND_MS, toTimestamp } from '../../ground/base/clock.ts';
import { EXPIRED_FILES_KEPT_MS } from '../../licensing/license-files/tables.ts';
import { DAYS_KEPT_MS, HOURS_KEPT_MS } from '../../licensing/observed-calls/jobs.ts';
import { REFUSALS_KEPT_MS } from '../../licensing/observed-calls/tables.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { success } from '../../platform/endpoint/field-types.ts';
import type { CertificateFacts, NodeFacts } from '../../platform/endpoint/node-facts.ts';
import { REPLIES_KEPT_MS } from '../../platform/kept-replies/reply-store.ts';
import { destinationWarnings } from '../../webhooks/destinations/faults.ts';
import { sendingWarning } from '../../webhooks/destinations/sending-node.ts';
import { type AppliedMigration, describeDatabase, findLatestMigration } from './database-store.ts';
import {
  certificateSchema,
  countriesSchema,
  databaseSchema,
  retentionSchema,
  serviceSchema,
  setupSchema,
} from './fields.ts';

/** GET/POST /getSystem (rules 4.14.1). */
export const getSystem = endpoint({
  path: '/getSystem',
  access: 'superAdmin',
  tellsOfNode: true,
  summary: 'The running version and its configuration',
  description:
    'Answers the versions, the database and its size, the certificate in use, the source of countries and the ' +
    'retention times. With several nodes, the facts are those of the one that answers. None of them is secret. Act ' +
    'when `daysLeft` of the certificate is below 30 (renew it; restart the service to replace one that it created ' +
    'itself), when `time` of the service and of the database are more than 5 seconds apart (synchronise the clocks), ' +
    'when `state` of the clock is not `believed` (docs/operators/operations.md, "The clock was wrong"), when `validFrom` of ' +
    'the certificate is in the future (correct the clock), when less than a tenth of the disk is free (make room: ' +
    'once it is full, the service only reads), and when `state` of the migration is `ahead` (update this node) or ' +
    '`behind` (restart it).',
  example: {
    request: {},
    reply: {
      success: true,
      service: {
        version: MADE_BY_SERVICE.version,
        nodeJsVersion: '26.10.0',
        hostname: 'licenses-1',
        label: null,
        logLevel: 'error',
        time: EXAMPLE_NOW,
        startedAt: '2027-02-21T06:12:40.000Z',
        clock: { state: 'believed', believedAt: EXAMPLE_NOW, believedFrom: null },
        memoryBytes: 187_654_144,
        reference: '/docs',
        openApi: '/openapi.json',
      },
      database: {
        engine: MADE_BY_SERVICE.engine,
        version: '3.53.0',
        location: '/var/lib/latchkey/latchkey.db',
        bytes: 42_491_904,
        diskFreeBytes: 31_138_512_896,
        diskTotalBytes: 53_687_091_200,
        time: null,
        migration: {
          version: 1,
          name: '0001_baseline',
          appliedAt: '2027-02-21T06:12:40.000Z',
          newestKnown: 1,
          state: 'current',
        },
      },
      certificate: {
        names: ['localhost', '127.0.0.1', '::1'],
        validFrom: '2027-02-20T06:12:40.000Z',
        endsAt: '2029-02-20T06:12:40.000Z',
        daysLeft: 721,
        selfSigned: true,
        trust: {
          file: '/var/lib/latchkey/tls-cert.pem',
          pem: '-----BEGIN CERTIFICATE-----\nMIIBpTCC...\n-----END CERTIFICATE-----\n',
        },
      },
      countries: { header: null, file: null, fileBuiltAt: null },
      retention: {
        eventSeconds: 34_560_000,
        refusalSeconds: 7_776_000,
        hourlyStatisticsSeconds: 1_209_600,
        dailyStatisticsSeconds: 94_694_400,
        safeRetrySeconds: 86_400,
        expiredLicenseFileSeconds: 7_776_000,
        sessionSeconds: 86_400,
        idleSessionSeconds: 43_200,
        keptSessionSeconds: 604_800,
      },
      setup: {
        publicUrl: 'https://licenses.example.com',
        sendsMail: true,
        customerPages: true,
        identityProvider: false,
        lastBackupAt: null,
        operatorMails: { addresses: ['ops@example.com'], kinds: ['mails_failed', 'digest'] },
      },
      warnings: [],
    },
    differing: [
      ...['nodeJsVersion', 'hostname', 'startedAt', 'memoryBytes'].map((name) => `service.${name}`),
      ...['version', 'location', 'bytes', 'diskFreeBytes', 'diskTotalBytes', 'time'].map((name) => `database.${name}`),
      ...['version', 'name', 'appliedAt', 'newestKnown'].map((name) => `database.migration.${name}`),
      'service.clock.believedAt',
      'certificate.validFrom',
      'certificate.endsAt',
      'certificate.daysLeft',
      'certificate.trust.file',
      'certificate.trust.pem',
    ],
  },
  fields: Type.Object({}),
  reply: success({
    service: serviceSchema,
    database: databaseSchema,
    certificate: certificateSchema,
    countries: countriesSchema,
    retention: retentionSchema,
    setup: setupSchema,
    warnings: Type.Array(Type.String(), {
      description:
        'Conditions to act on, in sentences: destinations that receive nothing since a copy, for want of a key, or because ' +
        'no node sends events.',
    }),
  }),
}).read(async (sql, { node, now, ruleContext: { settings } }) => {
  if (node === undefined) throw new Error('/getSystem was called without the facts of the node');
  const migration = await findLatestMigration(sql);
  const { version, bytes, moment } = await describeDatabase(sql);
  const { engine, location, fileBytes, diskFreeBytes, diskTotalBytes } = node.database;
  return {
    success: true,
    service: {
      version: node.version,
      nodeJsVersion: node.nodeJsVersion,
      hostname: node.hostname,
      label: node.label,
      logLevel: node.logLevel,
      time: toTimestamp(now),
      startedAt: node.startedAt,
      clock: {
        state: node.clock.doubt ?? 'believed',
        believedAt: node.clock.believedAt,
        believedFrom: node.clock.believedFrom,
      },
      memoryBytes: node.memoryBytes,
      reference: '/docs',
      openApi: '/openapi.json',
    },
    database: {
      engine,
      version,
      location,
      bytes: bytes ?? fileBytes,
      diskFreeBytes,
      diskTotalBytes,
      time: moment,
      migration: { ...migration, newestKnown: node.newestMigration, state: stateOf(migration, node) },
    },
    certificate: node.certificate && certificateView(node.certificate, now),
    countries: {
      header: node.countries.header,
      file: node.countries.file,
      fileBuiltAt: node.countries.builtAt === null ? null : toTimestamp(node.countries.builtAt),
    },
    retention: {
      eventSeconds: settings.eventRetentionMs / SECOND_MS,
      refusalSeconds: REFUSALS_KEPT_MS / SECOND_MS,
      hourlyStatisticsSeconds: HOURS_KEPT_MS / SECOND_MS,
      dailyStatisticsSeconds: DAYS_KEPT_MS / SECOND_MS,
      safeRetrySeconds: REPLIES_KEPT_MS / SECOND_MS,
      expiredLicenseFileSeconds: EXPIRED_FILES_KEPT_MS / SECOND_MS,
      sessionSeconds: SESSION_MS.usual / SECOND_MS,
      idleSessionSeconds: SESSION_MS.idle / SECOND_MS,
      keptSessionSeconds: SESSION_MS.kept / SECOND_MS,
    },
    setup: {
      publicUrl: settings.connectors.publicUrl,
      sendsMail: settings.sendsMail,
      customerPages: settings.selfService !== null,
      identityProvider: settings.provider !== null,
      lastBackupAt: node.lastBackupAt === null ? null : toTimestamp(node.lastBackupAt),
      operatorMails: settings.operatorNotices && {
        addresses: settings.operatorNotices.addresses,
        kinds: settings.operatorNotices.kinds,
      },
    },
    warnings: [
      ...(await destinationWarnings(sql, settings.secretsKey)),
      ...[await sendingWarning(sql, now)].filter((warning) => warning !== null),
    ],
  };
});

/** Compares the database's newest migration with the newest one that this version knows. */
function stateOf({ version }: AppliedMigration, { newestMigration }: NodeFacts): 'current' | 'ahead' | 'behind' {
  if (version === newestMigration) return 'current';
  return version > newestMigration ? 'ahead' : 'behind';
}

function certificateView({ names, startsAt, endsAt, isSelfSigned, trust }: CertificateFacts, now: number) {
  return {
    names,
    validFrom: toTimestamp(startsAt),
    endsAt: toTimestamp(endsAt),
    daysLeft: Math.floor((endsAt - now) / DAY_MS),
    selfSigned: isSelfSigned,
    trust,
  };
}

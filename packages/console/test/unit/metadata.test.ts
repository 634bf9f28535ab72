/** The metadata of a license as typed lines. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { undoOfUpdate } from '../../src/actions/undo.ts';
import type { License } from '../../src/api/contract.ts';
import { metadataIn, metadataLines, metadataRequest } from '../../src/licenses/metadata.ts';

const license = { key: 'AAAAA', metadata: { crm: 'A-1', url: 'https://crm.example/1' } } as unknown as License;

describe('metadata', () => {
  it('are lines of a name, a colon and a value, which may hold colons', () => {
    const lines = 'crm: A-1\nurl: https://crm.example/1';
    assert.equal(metadataLines(license), lines);
    assert.deepEqual([...metadataIn(`\n${lines}\n \n`)!], Object.entries(license.metadata!));
    assert.equal(metadataLines({}), '');
  });

  it('need a name of its own and a value on each line', () => {
    for (const wrong of ['crm', ': value', 'crm:', 'crm: a\ncrm: b']) assert.equal(metadataIn(wrong), undefined, wrong);
  });

  it('are sent where they differ; null takes a name away', () => {
    assert.equal(metadataRequest(license, metadataLines(license)), null);
    assert.equal(metadataRequest(license, 'crm'), null);
    assert.deepEqual(metadataRequest(license, 'crm: A-2\nplan: gold'), {
      licenseKey: 'AAAAA',
      metadata: { url: null, crm: 'A-2', plan: 'gold' },
      wasMetadata: { url: 'https://crm.example/1', crm: 'A-1', plan: null },
    });
  });

  it('are put back name by name, and what others changed beside them stays', () => {
    const sent = { licenseKey: 'AAAAA', metadata: { url: null, crm: 'A-2', plan: 'gold' } };
    const after = { ...license, metadata: { crm: 'A-2', plan: 'gold', note: 'of another person' } } as License;
    const request = {
      licenseKey: 'AAAAA',
      metadata: { crm: 'A-1', url: 'https://crm.example/1', plan: null },
      wasMetadata: { crm: 'A-2', url: null, plan: 'gold' },
    };
    assert.deepEqual(undoOfUpdate(license, after, sent)?.request, request);
  });
});

import { describe, expect, it } from 'vitest';
import { keepRequest } from '../../../../src/admin/journal/keep-request.ts';
import type { DetailSection, ShownFieldTable } from '../../../../src/admin/inspector/field-table.ts';
import { detailOf } from '../../../../src/admin/inspector/render-request.ts';
import {
  AUTHORIZATION_FIELDS,
  AUTH_FIELDS,
  BODY_FIELDS,
  CALL_FIELDS,
  REQUEST_FIELDS,
} from '../../../../src/admin/inspector/request-fields.ts';
import { fieldColumns, fieldFacts } from '../../../../src/admin/page/web/views/field-facts.ts';
import type { RequestFacts } from '../../../../src/observe/request-facts.ts';
import { factsOf, IDENTITY } from '../../../support/observe/request-facts.ts';

const SECTIONS: readonly DetailSection[] = ['top', 'operation', 'identity', 'body', 'time'];
const ALL: readonly ShownFieldTable[] = [REQUEST_FIELDS, AUTH_FIELDS, AUTHORIZATION_FIELDS, BODY_FIELDS, CALL_FIELDS];

/** A request of which everything is known. */
function fullFacts(): RequestFacts {
  const facts = factsOf({
    operation: 'UploadPart',
    versionId: 'v',
    uploadId: 'u',
    virtualHost: true,
    clientAddress: '10.0.0.1',
    authorization: { action: 's3:PutObject', allowed: true, rule: 'bucketOwner' },
    body: { framing: 'x', contentLength: 7, declaredSize: 6, received: 5, chunks: 4, declared: [], computed: [] },
    auth: {
      method: 'query',
      identity: { ...IDENTITY, user: { name: 'u', arn: 'a' } },
      failure: undefined,
      signature: undefined,
    },
  });
  facts.authorized = facts.arrived;
  facts.backend.push({
    system: 'azure',
    operation: 'write',
    method: 'PUT',
    path: '/container/blob',
    spanId: undefined,
    attempt: 1,
    started: facts.arrived,
    bytesSent: 10,
    ended: facts.arrived + 1,
    status: 503,
    bytesReceived: 1,
    backendRequestId: 'id',
    outcome: 'unavailable',
    failure: new Error('unavailable'),
  });
  return facts;
}

describe('the tables of the fields of a request', () => {
  const detail = detailOf(keepRequest(fullFacts()), {
    replica: 'a',
    slowMs: 1000,
    isOwnHost: () => false,
  });
  const { summary, classification, times, request, authentication, authorisation, body, backend } = detail;
  const objects: Readonly<Record<string, object | undefined>> = {
    summary,
    classification,
    times,
    request,
    authentication,
    decision: authorisation[0],
    body,
    call: backend.calls[0],
  };

  it.each(
    ALL.flatMap((table) => Object.entries(table)).flatMap(([name, { json = [] }]) => json.map((one) => [one, name])),
  )('the JSON has what they say: %s has %s', (object, name) => {
    expect(objects[object]).toHaveProperty(name);
  });

  it('the page has all facts and columns that they say', () => {
    for (const table of ALL) {
      const values = Object.fromEntries(Object.keys(table).map((name) => [name, 1]));
      const shown = SECTIONS.flatMap((section) => fieldFacts(table, section, values)).map(([label]) => label);
      const said = Object.values(table).flatMap(({ detail: where }) => (where === undefined ? [] : [where[1]]));
      expect(shown.toSorted()).toEqual(said.toSorted());
    }
    const columns = fieldColumns(REQUEST_FIELDS).map(({ label, text }) => [
      label,
      text({ bytesIn: 7, bytesOut: 8, backendCalls: 9 }, {}),
    ]);
    expect(columns).toEqual([
      ['In', '7 B'],
      ['Out', '8 B'],
      ['Calls', 9],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { FilterError, type FilterTexts, requestMatcher } from '../../../../src/admin/journal/filter.ts';
import type { KeptRequest } from '../../../../src/admin/journal/kept-request.ts';
import { keepRequest } from '../../../../src/admin/journal/keep-request.ts';
import type { RequestFacts } from '../../../../src/observe/request-facts.ts';
import { type FactsOptions, factsOf, IDENTITY } from '../../../support/observe/request-facts.ts';

const denied: FactsOptions = { status: 403, failure: new S3Error('AccessDenied') };
const running: FactsOptions = { ended: undefined, status: 0 };
const user = { ...IDENTITY, user: { name: 'robot', arn: 'arn:aws:iam::1:user/robot' } };

/** A filter, a request that it lets through, and one that it does not. */
const CASES: readonly [FilterTexts, FactsOptions, FactsOptions][] = [
  [{ operation: 'putobject, GetObject' }, {}, { operation: 'HeadObject' }],
  [{ bucket: 'bucket' }, {}, { bucket: 'Bucket' }],
  [{ prefix: 'a/' }, { key: 'a/b' }, { key: 'A/b' }],
  [{ prefix: 'a/' }, { key: 'a/' }, { key: undefined }],
  [{ key: 'a,b' }, { key: 'a,b' }, { key: 'a' }],
  [{ status: '404,5xx' }, { status: 503 }, { status: 403 }],
  [{ status: '404,5xx' }, { status: 404 }, running],
  [{ code: 'accessdenied' }, denied, {}],
  [
    { identity: 'main' },
    {},
    { auth: { method: 'anonymous', identity: { kind: 'anonymous' }, failure: undefined, signature: undefined } },
  ],
  [
    { identity: 'anonymous' },
    { auth: { method: 'anonymous', identity: { kind: 'anonymous' }, failure: undefined, signature: undefined } },
    {},
  ],
  [
    { identity: 'main/robot' },
    { auth: { method: 'query', identity: user, failure: undefined, signature: undefined } },
    {},
  ],
  [{ identity: IDENTITY.accessKeyId }, {}, { auth: undefined }],
  [{ slow: 'true' }, { tookMs: 1000 }, { tookMs: 999 }],
  [{ slow: 'true' }, { tookMs: 1000 }, { tookMs: 1500, clientWaitMs: 600 }],
  [{ slow: '20' }, { tookMs: 20 }, running],
  [{ errors: 'true' }, denied, {}],
  [{ errors: 'true' }, { clientLeft: true }, running],
  [{ errors: 'false' }, {}, { bucket: 'x', ...{ status: 200 } }],
  [{ requestId: '0123456789ABCDEF' }, { head: { requestId: '0123456789ABCDEF' } }, {}],
  [{ uploadId: 'up' }, { uploadId: 'up' }, {}],
  [{ since: '1000', before: '2000' }, { head: { arrivedAt: 1000 } }, { head: { arrivedAt: 2000 } }],
  [{ bucket: 'bucket', status: '200' }, {}, { status: 204 }],
];

const kept = (facts: RequestFacts): KeptRequest => keepRequest(facts);

describe('filters', () => {
  it.each(CASES.filter(([filter]) => filter.errors !== 'false'))('%j', (filter, wanted, unwanted) => {
    const { matches } = requestMatcher(filter, 1000);
    expect([matches(kept(factsOf(wanted))), matches(kept(factsOf(unwanted)))]).toEqual([true, false]);
  });

  it('let everything through when they say nothing', () => {
    expect(requestMatcher({ errors: 'false', slow: 'false' }, 1000).matches(kept(factsOf()))).toBe(true);
  });

  it('that name an empty text mean it: requests that have another do not fit', () => {
    expect(requestMatcher({ uploadId: '' }, 1000).matches(kept(factsOf({ uploadId: 'up' })))).toBe(false);
    expect(requestMatcher({ uploadId: '' }, 1000).matches(kept(factsOf()))).toBe(false);
  });

  it.each([{ status: '4x' }, { status: '700' }, { slow: 'yes' }, { errors: '1' }, { since: 'today' }])(
    'refuse %j',
    (filter) => {
      expect(() => requestMatcher(filter, 1000)).toThrow(FilterError);
    },
  );
});

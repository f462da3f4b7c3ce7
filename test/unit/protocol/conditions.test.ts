import { describe, expect, test } from 'vitest';
import { failedCondition, judgeWrite } from '../../../src/protocol/conditions.ts';

const NOW = Date.UTC(2023, 1, 24, 0, 32, 48);
const ETAG = '0cc175b9c0f1b6a831c399e269772661';

describe('If-Modified-Since', () => {
  const failed = (since: number, mtime: number): string | undefined =>
    failedCondition({ ifModifiedSince: new Date(since).toUTCString() }, { etag: ETAG, mtime }, NOW);

  test.each([
    ["the object's own time", 0, 'If-Modified-Since'],
    // As recorded: blobs of Azure are dated up to two seconds ahead.
    ["the object's own time, one second from now", 1000, 'If-Modified-Since'],
    ["the object's own time, two seconds from now", 2000, 'If-Modified-Since'],
  ])('%s', (_what, ahead, expected) => {
    expect(failed(NOW + ahead, NOW + ahead)).toBe(expected);
  });

  test('another time in the future is ignored, and an earlier one does not hold', () => {
    expect(failed(NOW + 3000, NOW + 2000)).toBeUndefined();
    expect(failed(NOW + 3000, NOW - 1000)).toBeUndefined();
    expect(failed(NOW, NOW + 1000)).toBeUndefined();
  });
});

describe('If-Match of a write', () => {
  const judge = (ifMatch: string) => (): void => judgeWrite({ ifMatch }, { etag: ETAG, mtime: NOW }, 'key');

  test.each([`"${ETAG}"`, ETAG, ` "${ETAG}" `, '*'])('%s holds', (ifMatch) => {
    expect(judge(ifMatch)).not.toThrow();
  });

  test.each([`"other", "${ETAG}"`, `"${ETAG}","${ETAG}"`, `W/"${ETAG}"`, '""', ''])('%j does not', (ifMatch) => {
    expect(judge(ifMatch)).toThrow(expect.objectContaining({ code: 'PreconditionFailed' }) as Error);
  });
});

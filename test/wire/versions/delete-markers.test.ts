import { describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import {
  type Headers,
  NAMING,
  READING,
  TOKEN,
  answerTo,
  ask,
  get,
  marker,
  multipart,
  object,
  openScene,
  put,
  versioning,
  without,
} from './scene.ts';

openScene();

describe('a delete marker as target', () => {
  const MARKED = (id: string): Headers => ({ 'x-amz-delete-marker': 'true', 'x-amz-version-id': id });
  const OF_CURRENT: Readonly<Record<string, string>> = {
    GetObject: '404 NoSuchKey',
    HeadObject: '404',
    GetObjectAttributes: '404 NoSuchKey',
    GetObjectAcl: '404 NoSuchKey',
    CopyObject: '404 NoSuchKey',
    PutObjectAcl: '405 MethodNotAllowed',
    GetObjectTagging: '405 MethodNotAllowed',
    PutObjectTagging: '405 MethodNotAllowed',
    DeleteObjectTagging: '405 MethodNotAllowed',
  };

  test.each(Object.entries(OF_CURRENT))('that is current: %s is %s', async (name, expected) => {
    await versioning('enabled');
    await put();
    const id = await marker();
    const answer = await answerTo(NAMING[name]?.() ?? { method: 'GET', target: '/' });
    expect(outcome(answer)).toBe(expected);
    if (answer.status === 404) {
      expect(answer.headers).toMatchObject(MARKED(id));
    } else {
      expect([
        answer.headers['allow'],
        answer.headers['x-amz-delete-marker'],
        answer.headers['x-amz-version-id'],
      ]).toEqual(['DELETE', undefined, undefined]);
      expect(answer.body).toContain(
        `<Method>${NAMING[name]?.().method ?? ''}</Method><ResourceType>DeleteMarker</ResourceType>`,
      );
    }
  });

  test.each(READING)('by its id: %s is 405', async (name, request) => {
    await versioning('enabled');
    const id = await marker();
    for (const isCurrent of [true, false]) {
      if (!isCurrent) await put();
      const answer = await answerTo(request(id));
      expect(outcome(answer)).toBe(without('405 MethodNotAllowed', name));
      expect(answer.headers).toMatchObject({
        ...MARKED(id),
        allow: 'DELETE',
        'last-modified': expect.stringMatching(/ GMT$/) as string,
      });
      if (name !== 'HeadObject') {
        expect(answer.body).toContain(`<Method>${request().method}</Method><ResourceType>DeleteMarker</ResourceType>`);
      }
    }
  });

  test('by its id, as a source', async () => {
    await versioning('enabled');
    const id = await marker();
    const answer = await answerTo(NAMING['CopyObject']?.(id) ?? { method: 'GET', target: '/' });
    expect(outcome(answer)).toBe('400 InvalidRequest');
    expect(answer.body).toContain(
      'The source of a copy request may not specifically refer to a delete marker by version id.',
    );
  });

  test('that is the null version', async () => {
    await versioning('enabled', 'suspended');
    expect(await marker()).toBe('null');
    const [current, named] = [
      await ask({ method: 'GET', target: object() }, 404),
      await ask({ method: 'GET', target: object('null') }, 405),
    ];
    expect([current.headers, named.headers]).toMatchObject([MARKED('null'), MARKED('null')]);
  });

  test('does not hinder an upload in parts', async () => {
    await versioning('enabled');
    await marker();
    expect(await multipart('part')).toMatch(TOKEN);
    expect(await get()).toBe('part');
  });
});

import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { azureQueue, eventGrid, serviceBus, sharedAccess } from '../../../../src/main/events/azure-targets.ts';
import { pubSub } from '../../../../src/main/events/google-targets.ts';
import { cloudEvents, webhook } from '../../../../src/main/events/http-targets.ts';
import { quotaEvent } from '../../../../src/main/events/quota-events.ts';
import type { EventReceiver, EventOrigin } from '../../../../src/main/events/receiver.ts';
import { ReceiverNotReached } from '../../../../src/manifest/index.ts';
import type { RecordedEvent } from '../../../../src/protocol/notifications/event-record.ts';
import { LoopbackReceiver } from '../../../support/backends/receiver.ts';
import { testCall } from '../../../support/test-call.ts';

const SOURCE: EventOrigin = {
  ...{ region: 'us-east-1', bucket: 'photos', ownerId: 'owner', ownerAccount: '111122223333', ruleId: 'rule' },
  form: 's3',
};
const BRIDGED: EventOrigin = { ...SOURCE, form: 'eventBridge' };
const SECRET = 'a-secret-of-the-target';
const TEST_MESSAGE = '{"Service":"Amazon S3","Event":"s3:TestEvent"}';

const NOTICE = quotaEvent({
  id: 'uid-80-1',
  owner: { kind: 'bucket', name: 'photos' },
  percent: 80,
  since: 1,
  quota: { bytes: 100 },
  used: { bytes: 81, objects: 3 },
});

function eventOf(key: string, sequencer = '01'): RecordedEvent {
  const who = { principalId: 'P', requester: '1', sourceAddress: '192.0.2.1', requestId: 'R', hostId: 'H' };
  return { name: 'ObjectCreated:Put', time: 5_000, key, etag: 'e', size: 3, sequencer, ...who };
}

let receiver: LoopbackReceiver;
let origin: string;
beforeEach(async () => {
  receiver = new LoopbackReceiver();
  origin = await receiver.start();
});
afterEach(() => receiver.stop());

/** Keys of records, message by message. */
function keysOf(bodies: readonly unknown[]): unknown[] {
  return bodies.map((body) => (body as { Records: { s3: { object: { key: string } } }[] }).Records.map(keyOfRecord));
}

function keyOfRecord({ s3 }: { s3: { object: { key: string } } }): string {
  return s3.object.key;
}

describe('a webhook', () => {
  test('gets all records in one message, signed', async () => {
    await webhook(`${origin}/hook`, SECRET).send([eventOf('a b'), eventOf('c')], SOURCE, testCall());
    expect(keysOf(receiver.bodies)).toEqual([['a+b', 'c']]);
    const [{ method, target, headers, body } = expect.fail()] = receiver.messages;
    expect([method, target, headers['content-type']]).toEqual(['POST', '/hook', 'application/json']);
    const [, time = '', mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-s3gw-signature'] ?? '') ?? [];
    expect(createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex')).toBe(mac);
  });

  test('is not signed without a secret, and gets the test message as it is', async () => {
    await webhook(origin, undefined).greet(TEST_MESSAGE, testCall());
    expect(receiver.messages[0]?.body).toBe(TEST_MESSAGE);
    expect(receiver.messages[0]?.headers).not.toHaveProperty('x-s3gw-signature');
  });

  test('that stands for EventBridge gets one event a message', async () => {
    const target = webhook(origin, undefined);
    expect([target.atOnce('s3'), target.atOnce('eventBridge')]).toEqual([100, 1]);
    await target.send([eventOf('a b')], BRIDGED, testCall());
    expect(receiver.bodies).toMatchObject([{ source: 'aws.s3', detail: { object: { key: 'a b' } } }]);
  });
});

describe('a receiver of CloudEvents', () => {
  test('gets one a request, with its token', async () => {
    const target = cloudEvents(origin, 'structured', SECRET);
    expect(target.atOnce('s3')).toBe(1);
    await target.send([eventOf('a')], SOURCE, testCall());
    expect(receiver.bodies).toMatchObject([
      { specversion: '1.0', subject: 'a', data: { eventName: 'ObjectCreated:Put' } },
    ]);
    expect(receiver.messages[0]?.headers).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      'content-type': 'application/cloudevents+json; charset=utf-8',
    });
  });

  test('gets a batch, if it wants batches; also the test message', async () => {
    const target = cloudEvents(origin, 'batch', undefined);
    await target.send([eventOf('a'), eventOf('b')], SOURCE, testCall());
    await target.greet(TEST_MESSAGE, testCall());
    expect(receiver.bodies).toMatchObject([
      [{ subject: 'a' }, { subject: 'b' }],
      [{ type: 'com.amazonaws.s3.TestEvent', data: { Event: 's3:TestEvent' } }],
    ]);
    expect(receiver.messages[0]?.headers).toMatchObject({
      'content-type': 'application/cloudevents-batch+json; charset=utf-8',
    });
  });
});

test('a queue of Azure Storage gets a message an event, in base64, for as long as nobody reads it', async () => {
  const target = azureQueue(`${origin}/account/changes?sv=1&sig=${SECRET}`);
  await target.send([eventOf('a'), eventOf('b')], SOURCE, testCall());
  const texts = receiver.messages.map(({ body }) => /<MessageText>([^<]+)</.exec(body)?.[1] ?? '');
  const records = texts.map((text) => JSON.parse(Buffer.from(text, 'base64').toString()) as unknown);
  expect(keysOf(records)).toEqual([['a'], ['b']]);
  const url = new URL(receiver.messages[0]?.target ?? '', origin);
  expect(url.pathname).toBe('/account/changes/messages');
  expect(Object.fromEntries(url.searchParams)).toEqual({ sv: '1', sig: SECRET, messagettl: '-1' });
});

describe('a topic of Event Grid', () => {
  test('gets a batch of CloudEvents with its key', async () => {
    await eventGrid(`${origin}/api/events`, { key: SECRET }).send([eventOf('a'), eventOf('b')], SOURCE, testCall());
    expect(receiver.bodies).toMatchObject([[{ subject: 'a', specversion: '1.0' }, { subject: 'b' }]]);
    const [{ target, headers } = expect.fail()] = receiver.messages;
    expect(target).toBe('/api/events?api-version=2018-01-01');
    expect(headers).toMatchObject({
      'aeg-sas-key': SECRET,
      'content-type': 'application/cloudevents-batch+json; charset=utf-8',
    });
    expect(headers).not.toHaveProperty('authorization');
  });

  test('or with a token; the test message is an event, too', async () => {
    await eventGrid(origin, { authorization: async () => 'Bearer T' }).greet(TEST_MESSAGE, testCall());
    expect(receiver.messages[0]?.headers).toMatchObject({ authorization: 'Bearer T' });
    expect(receiver.messages[0]?.headers).not.toHaveProperty('aeg-sas-key');
    expect(receiver.bodies).toMatchObject([[{ type: 'com.amazonaws.s3.TestEvent' }]]);
  });

  test('takes the longest names within its megabyte', async () => {
    const grid = eventGrid(origin, { key: SECRET });
    const longest = Array.from({ length: grid.atOnce('s3') }, () => eventOf('\u0001'.repeat(1024)));
    await grid.send(longest, { ...SOURCE, ruleId: '\u0001'.repeat(255) }, testCall());
    expect(receiver.messages[0]?.body.length).toBeLessThan(1_000_000);
  });
});

interface BusMessage {
  readonly Body: string;
  readonly BrokerProperties: Readonly<Record<string, string>>;
}

describe('a queue of Service Bus', () => {
  const target = (): EventReceiver => serviceBus(`${origin}/queue/`, () => 'SharedAccessSignature sr=x');
  const batches = (): BusMessage[][] => receiver.bodies as BusMessage[][];

  test('gets the messages of each key in a batch and a session of their own, in their order', async () => {
    await target().send([eventOf('a', '01'), eventOf('b'), eventOf('a', '02')], SOURCE, testCall());
    const bySession = batches().map((all) => all.map(({ BrokerProperties }) => BrokerProperties['SessionId']));
    expect(bySession.sort()).toEqual([['photos/a', 'photos/a'], ['photos/b']]);
    const [ofA = []] = batches().filter((all) => all.length === 2);
    expect(ofA.map(({ Body }) => /"sequencer":"(\d+)"/.exec(Body)?.[1])).toEqual(['01', '02']);
    expect(ofA[0]?.BrokerProperties).toMatchObject({ Label: 'ObjectCreated:Put', ContentType: 'application/json' });
    const { target: path, headers } = receiver.messages[0] ?? expect.fail();
    expect(path).toBe('/queue/messages');
    expect(headers).toMatchObject({
      authorization: 'SharedAccessSignature sr=x',
      'content-type': 'application/vnd.microsoft.servicebus.json',
    });
  });

  test('knows a repetition by its id, and one of no other event', async () => {
    for (const key of ['a', 'a', 'b']) await target().send([eventOf(key)], SOURCE, testCall());
    const [first, again, other] = batches().map(([one]) => one?.BrokerProperties['MessageId']);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  test('takes an event once for each configuration that sends it there', async () => {
    for (const source of [SOURCE, { ...SOURCE, ruleId: 'other' }, BRIDGED]) {
      await target().send([eventOf('a')], source, testCall());
    }
    expect(new Set(batches().map(([one]) => one?.BrokerProperties['MessageId']))).toHaveProperty('size', 3);
  });

  test('is not sent what it would not take: names and batches that are too long', async () => {
    const long = Array.from({ length: target().atOnce('s3') }, (_, n) => eventOf('\u0001'.repeat(1024), String(n)));
    await target().send(long, SOURCE, testCall());
    const [batch = []] = batches();
    expect(batch).toHaveLength(long.length);
    for (const { BrokerProperties } of batch) {
      expect(BrokerProperties['SessionId']?.length).toBeLessThanOrEqual(128);
      expect(BrokerProperties['MessageId']?.length).toBeLessThanOrEqual(128);
    }
    expect(receiver.messages[0]?.body.length).toBeLessThan(256 * 1024);
  });
});

describe('a shared access signature', () => {
  const entity = 'https://namespace.servicebus.windows.net/queue';

  test("is of the entity and its end, by the policy's key", () => {
    const header = sharedAccess(`${entity}/`, { keyName: 'send er', key: 'a key+' }, () => 1_000_000)();
    const [, fields = ''] = /^SharedAccessSignature (.*)$/.exec(header as string) ?? [];
    const { sr, sig, se, skn } = Object.fromEntries(new URLSearchParams(fields));
    expect([sr, se, skn]).toEqual([entity, '4600', 'send er']);
    const signed = `${encodeURIComponent(entity)}\n4600`;
    expect(sig).toBe(createHmac('sha256', 'a key+').update(signed).digest('base64'));
  });

  test('is made anew some minutes before it ends', () => {
    let now = 0;
    const sign = sharedAccess(entity, { keyName: 'k', key: 'key' }, () => now);
    const first = sign();
    now = 2_900_000;
    expect(sign()).toBe(first);
    now = 3_100_000;
    expect(sign()).not.toBe(first);
  });
});

interface Published {
  readonly messages: readonly {
    readonly data: string;
    readonly orderingKey?: string;
    readonly attributes: Readonly<Record<string, string>>;
  }[];
}

describe('a topic of Pub/Sub', () => {
  const target = (): EventReceiver =>
    pubSub({ topic: 'projects/p/topics/t', endpoint: origin }, async () => 'Bearer T');
  const published = (): Published[] => receiver.bodies as Published[];

  test('gets the messages of each ordering key in a request of their own, in their order', async () => {
    await target().send([eventOf('a', '01'), eventOf('b'), eventOf('a', '02')], SOURCE, testCall());
    const keys = published().map(({ messages }) => messages.map(({ orderingKey }) => orderingKey));
    expect(keys.sort()).toEqual([['photos/a', 'photos/a'], ['photos/b']]);
    const [ofA] = published().filter(({ messages }) => messages.length === 2);
    const records = (ofA?.messages ?? []).map(({ data }) => Buffer.from(data, 'base64').toString());
    expect(records.map((record) => /"sequencer":"(\d+)"/.exec(record)?.[1])).toEqual(['01', '02']);
    expect(ofA?.messages[0]?.attributes).toEqual({ eventName: 'ObjectCreated:Put', bucket: 'photos', key: 'a' });
    const { target: path, headers } = receiver.messages[0] ?? expect.fail();
    expect(path).toBe('/v1/projects/p/topics/t:publish');
    expect(headers).toMatchObject({ authorization: 'Bearer T', 'content-type': 'application/json' });
  });

  test('is not sent an ordering key that is too long, and none for the test message', async () => {
    await target().send([eventOf('k'.repeat(1024))], SOURCE, testCall());
    await target().greet(TEST_MESSAGE, testCall());
    const [long, greeting] = published();
    expect(long?.messages[0]?.orderingKey).toMatch(/^[0-9a-f]{64}$/);
    expect(greeting?.messages[0]).not.toHaveProperty('orderingKey');
    expect(Buffer.from(greeting?.messages[0]?.data ?? '', 'base64').toString()).toBe(TEST_MESSAGE);
  });

  test('an emulator is sent no credential', async () => {
    await pubSub({ topic: 'projects/p/topics/t', endpoint: origin }, () => undefined).greet(TEST_MESSAGE, testCall());
    expect(receiver.messages[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('a message is not taken', () => {
  const all = (): readonly EventReceiver[] => [
    webhook(`${origin}/${SECRET}`, SECRET),
    cloudEvents(`${origin}/${SECRET}`, 'structured', SECRET),
    azureQueue(`${origin}/q?sig=${SECRET}`),
    eventGrid(`${origin}/${SECRET}`, { key: SECRET }),
    serviceBus(`${origin}/${SECRET}`, () => SECRET),
    pubSub({ topic: 'projects/p/topics/t', endpoint: origin }, () => SECRET),
  ];

  test.each([301, 400, 401, 403, 404, 413, 429, 500, 503])(
    'when the answer is %i, which says no secret',
    async (status) => {
      receiver.answers = () => status;
      for (const target of all()) {
        const failed = target.send([eventOf('a')], SOURCE, testCall());
        await expect(failed).rejects.toThrow(new RegExp(`^the receiver answered ${status}(?::|$)`));
        await expect(failed).rejects.not.toThrow(SECRET);
      }
      expect(receiver.messages).toEqual([]);
    },
  );

  test('what an operator can do is said with what refuses the target', async () => {
    receiver.answers = () => 401;
    const refused = webhook(origin, undefined).greet(TEST_MESSAGE, testCall());
    await expect(refused).rejects.toThrow('key, token or signature');
    await expect(refused).rejects.not.toBeInstanceOf(ReceiverNotReached);
  });

  test('when one of several keys is refused', async () => {
    receiver.answers = ({ body }) => (body.includes('photos/b') ? 503 : 201);
    const target = serviceBus(origin, () => '');
    await expect(target.send([eventOf('a'), eventOf('b')], SOURCE, testCall())).rejects.toThrow('503');
  });

  test('when no request can be made, or no connection; no secret of the target is shown', async () => {
    const reason = (target: EventReceiver): Promise<unknown> =>
      target.greet(TEST_MESSAGE, testCall()).catch((error: unknown) => error);
    const reasons = [
      await reason(cloudEvents(origin, 'structured', `${SECRET}\nline`)),
      await reason(webhook(`http://user:${SECRET}@localhost/`, undefined)),
    ];
    receiver.stop();
    reasons.push(await reason(azureQueue(`${origin}/q?sig=${SECRET}`)));
    expect(reasons.map((each) => (each as Error).message)).toEqual([
      'the receiver was not reached: TypeError',
      'the receiver was not reached: TypeError',
      'the receiver was not reached: ECONNREFUSED',
    ]);
    for (const each of reasons) expect(each).toBeInstanceOf(ReceiverNotReached);
    expect(inspect(reasons, { depth: null })).not.toContain(SECRET);
  });

  test('when the process stops', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(webhook(origin, undefined).send([eventOf('a')], SOURCE, testCall(stopped))).rejects.toThrow('stopped');
  });
});

describe('a notice of a quota', () => {
  test('is a CloudEvent for who takes these', async () => {
    await cloudEvents(origin, 'structured', undefined).notify(NOTICE, testCall());
    await cloudEvents(origin, 'batch', undefined).notify(NOTICE, testCall());
    await eventGrid(origin, { key: SECRET }).notify(NOTICE, testCall());
    const event = {
      specversion: '1.0',
      id: 'uid-80-1',
      source: 's3gw:quotas',
      type: 's3gw.quota.reached',
      subject: 'bucket/photos',
      time: '1970-01-01T00:00:00.001Z',
      datacontenttype: 'application/json',
      data: { kind: 'bucket', name: 'photos', percent: 80, quota: { bytes: 100 }, used: { bytes: 81, objects: 3 } },
    };
    expect(receiver.bodies).toEqual([event, [event], [event]]);
  });

  test('is the text of a message elsewhere, signed and named like others', async () => {
    const text = JSON.stringify(NOTICE);
    await webhook(origin, SECRET).notify(NOTICE, testCall());
    await azureQueue(`${origin}/account/queue?sv=1`).notify(NOTICE, testCall());
    await serviceBus(`${origin}/bus`, () => 'SharedAccessSignature S').notify(NOTICE, testCall());
    await pubSub({ topic: 'projects/p/topics/t', endpoint: origin }, () => undefined).notify(NOTICE, testCall());
    const [signed, queued, bus, published] = receiver.messages;
    expect([signed?.body, signed?.headers['x-s3gw-signature']]).toEqual([text, expect.stringMatching(/^t=\d+,v1=/)]);
    expect(queued?.body).toContain(Buffer.from(text).toString('base64'));
    expect(JSON.parse(bus?.body ?? '')).toMatchObject([
      { Body: text, BrokerProperties: { MessageId: 'uid-80-1', Label: 's3gw.quota.reached' } },
    ]);
    expect(JSON.parse(published?.body ?? '')).toEqual({
      messages: [{ data: Buffer.from(text).toString('base64'), attributes: { eventName: 's3gw.quota.reached' } }],
    });
  });
});

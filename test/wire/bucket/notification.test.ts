import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVENT_BRIDGE } from '../../../src/protocol/notifications/notification-rule.ts';
import { World } from '../spec/world.ts';

const KNOWN = 'arn:aws:sqs:us-east-1:123456789012:known';
const DEAF = 'arn:aws:sqs:us-east-1:123456789012:deaf';

let world: World;
let bucket: string;
const greeted: [string, string][] = [];
let hasEventBridge = false;

beforeAll(async () => {
  world = await World.open({
    bucketCacheMs: 20,
    notificationTargets: {
      has: (arn) => arn === KNOWN || arn === DEAF || (arn === EVENT_BRIDGE && hasEventBridge),
      greet: async (arn, message) => {
        if (arn === DEAF) throw new Error('no answer');
        greeted.push([arn, message]);
      },
    },
  });
  bucket = await world.bucket();
});
afterAll(() => world.close());

function document(arn: string, event = 's3:ObjectCreated:*'): string {
  return `<NotificationConfiguration><QueueConfiguration><Id>one</Id><Queue>${arn}</Queue><Event>${event}</Event></QueueConfiguration></NotificationConfiguration>`;
}

async function put(body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await world.ask('PUT', `/${bucket}?notification`, { body, headers });
  return `${answer.outcome} ${/<Message>([^<]*)</.exec(answer.body)?.[1] ?? ''}${/<ArgumentName1>.*<\/ArgumentValue\d>/.exec(answer.body)?.[0] ?? ''}`.trim();
}

async function get(): Promise<string> {
  return (await world.must('GET', `/${bucket}?notification`)).body.replace(/^.*?(?=<NotificationConfiguration)/s, '');
}

test('a target is tried by a message once, and the configuration is what GET answers until it is emptied', async () => {
  expect(await put(document(KNOWN))).toBe('200');
  expect(greeted).toHaveLength(1);
  expect(JSON.parse(greeted[0]?.[1] ?? '')).toMatchObject({
    Service: 'Amazon S3',
    Event: 's3:TestEvent',
    Bucket: bucket,
    RequestId: expect.any(String) as string,
    HostId: expect.any(String) as string,
  });
  expect(await get()).toContain(`<Queue>${KNOWN}</Queue>`);
  expect(await put(document(KNOWN, 's3:ObjectRemoved:*'))).toBe('200');
  expect(greeted).toHaveLength(1);
  expect(await put('<NotificationConfiguration/>')).toBe('200');
  expect(await get()).toMatch(/^<NotificationConfiguration[^>]*\/>$|<NotificationConfiguration[^>]*><\/Notif/);
});

test.each([
  ['arn:aws:sqs:us-east-1:123456789012:stranger', 'does not exist'],
  [DEAF, 'did not take the test message'],
])('%s is refused: the destination %s; what was there stays', async (arn, why) => {
  expect(await put(document(KNOWN))).toBe('200');
  const skip = { 'x-amz-skip-destination-validation': 'true' };
  const told = `400 InvalidArgument Unable to validate the following destination configurations<ArgumentName1>${arn}</ArgumentName1><ArgumentValue1>The destination queue ${why}</ArgumentValue1>`;
  expect(await put(document(arn))).toBe(told);
  expect(await get()).toContain(`<Queue>${KNOWN}</Queue>`);
  // A target that nobody has named is not taken, whether it would be tried or not.
  expect(await put(document(arn), skip)).toBe(arn === DEAF ? '200' : told);
});

test('a configuration without an id has the same one when it is put again', async () => {
  const withoutId = document(KNOWN).replace('<Id>one</Id>', '');
  expect(await put(withoutId)).toBe('200');
  const got = await get();
  expect(got).toMatch(/<Id>[^<]+<\/Id>/);
  expect(await put(withoutId)).toBe('200');
  expect(await get()).toBe(got);
});

test('each target that does not exist is named', async () => {
  const [one, two] = ['arn:aws:sqs:us-east-1:123456789012:one', 'arn:aws:sqs:us-east-1:123456789012:two'];
  const second = `<QueueConfiguration><Queue>${two}</Queue><Event>s3:ObjectRestore:Post</Event></QueueConfiguration>`;
  const both = document(one).replace('</Notif', `${second}</Notif`);
  expect(await put(both)).toContain(
    `<ArgumentName2>${two}</ArgumentName2><ArgumentValue2>The destination queue does not exist</ArgumentValue2>`,
  );
});

test('EventBridge is taken where a target stands for it, and is sent no test message', async () => {
  const asked = document(KNOWN).replace('</Notif', '<EventBridgeConfiguration/></Notif');
  expect(await put('<NotificationConfiguration/>')).toBe('200');
  expect(await put(asked)).toBe(
    '501 NotImplemented Notification by Amazon EventBridge is not offered by this service.',
  );
  expect(await get()).not.toContain('Queue');
  hasEventBridge = true;
  const before = greeted.length;
  expect(await put(asked)).toBe('200');
  expect(greeted.slice(before).map(([arn]) => arn)).toEqual([KNOWN]);
  expect(await get()).toMatch(/<Queue>.*<EventBridgeConfiguration/s);
});

test('a target is an ARN: an address of a client is no target', async () => {
  for (const address of ['http://169.254.169.254/latest', 'arn:aws:sqs:us-east-1:1:http://169.254.169.254/']) {
    expect(await put(document(address))).toBe('400 InvalidArgument The ARN could not be parsed');
  }
});

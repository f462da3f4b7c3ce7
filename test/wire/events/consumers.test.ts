import { S3EventNotificationEventBridgeSchema, S3Schema } from '@aws-lambda-powertools/parser/schemas/s3';
import { CloudEvent, HTTP } from 'cloudevents';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENT_NAMES } from '../../../src/protocol/notifications/event-names.ts';
import { ToldWorld } from './told-world.ts';

/** What receivers of others make of the messages that the gateway sends about all that can happen to objects. */
const world = new ToldWorld();
const { hook, bridge, structured, batch } = world.receivers;

interface S3Record {
  readonly eventName: string;
  readonly lifecycleEventData?: unknown;
}

beforeAll(async () => {
  await world.open();
  await world.happen();
}, 60_000);
afterAll(() => world.close());

/** The record as Powertools know it: its only field that they do not know is `lifecycleEventData` of S3. */
function knownOf({ lifecycleEventData: _, ...known }: S3Record): object {
  return known;
}

const ALL = [...EVENT_NAMES].sort();

describe('the parser of Powertools for AWS Lambda, which drops fields that it does not know', () => {
  test('reads the records of each event of S3, field by field', () => {
    const messages = hook.bodies.filter((body) => 'Records' in (body as object)) as { Records: S3Record[] }[];
    for (const message of messages) {
      expect(S3Schema.parse(message)).toEqual({ Records: message.Records.map(knownOf) });
    }
    expect(namesOf(messages.flatMap(({ Records }) => Records))).toEqual(ALL);
  });

  test('takes the test message for no records', () => {
    const tests = hook.bodies.filter((body) => !('Records' in (body as object)));
    expect(tests).toHaveLength(2);
    for (const message of tests) expect(S3Schema.safeParse(message).success).toBe(false);
  });

  test('reads each event of EventBridge, field by field', () => {
    const told = bridge.bodies.map((body) => {
      const event = S3EventNotificationEventBridgeSchema.parse(body);
      expect(event).toEqual(body);
      return event;
    });
    const types = new Set(told.map((event) => event['detail-type']));
    expect([...types].sort()).toEqual([
      'Object ACL Updated',
      'Object Created',
      'Object Deleted',
      'Object Restore Completed',
      'Object Restore Expired',
      'Object Restore Initiated',
      'Object Storage Class Changed',
      'Object Tags Added',
      'Object Tags Deleted',
    ]);
  });
});

describe('the SDK of CloudEvents', () => {
  test.each([
    ['structured', structured],
    ['batch', batch],
  ])('reads what comes in the mode %s, and finds every attribute in order', (_mode, receiver) => {
    const events = receiver.messages.flatMap(({ headers, body }) => {
      const read = [HTTP.toEvent<S3Record>({ headers, body })].flat();
      const strict = read.map((event) => new CloudEvent(event));
      expect(JSON.parse(JSON.stringify(strict))).toEqual([JSON.parse(body)].flat());
      return strict;
    });
    const records = events.filter(({ type }) => !type.endsWith('.TestEvent')).map(({ data }) => data);
    const known = records.filter((record) => record !== undefined);
    expect(namesOf(known)).toEqual(ALL);
    expect(S3Schema.parse({ Records: records })).toEqual({ Records: known.map(knownOf) });
    expect(new Set(events.map(({ id, source }) => `${source} ${id}`)).size).toBe(events.length);
  });
});

function namesOf(records: readonly S3Record[]): string[] {
  return [...new Set(records.map(({ eventName }) => eventName))].sort();
}

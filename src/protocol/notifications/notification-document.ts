import { randomUUID } from 'node:crypto';
import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { Decoded } from '../xml/decode.ts';
import { type XmlDocument, type XmlValue, xml } from '../xml/document.ts';
import { NOTIFICATION_CONFIGURATION } from '../xml/notification-shape.ts';
import { isConfigurable } from './event-names.ts';
import { EVENT_BRIDGE, type FilterRule, type NotificationRule, type TargetKind, overlap } from './notification-rule.ts';

type Document = Decoded<typeof NOTIFICATION_CONFIGURATION>;
type Filter = Document['queues'][number]['Filter'];

/** What each kind of target is called in the document, and by which service its ARN says that it is. */
const KINDS = {
  topic: { element: 'Topic', service: 'sns' },
  queue: { element: 'Queue', service: 'sqs' },
  function: { element: 'CloudFunction', service: 'lambda' },
} as const satisfies Readonly<Record<TargetKind, object>>;

/** S3's limits of a filter's value and of an id, characters. */
const MAX_VALUE = 1024;
const MAX_ID = 255;
/** partition, service, region, account, name; a function has its kind before its name. */
const ARN = /^arn:[a-z0-9-]+:([a-z]+):[a-z0-9-]*:[0-9]*:(?:function:)?([A-Za-z0-9_.-]+)$/;

/** A rule as a document has it. */
export interface RequestedRule extends Omit<NotificationRule, 'id'> {
  readonly id: string | undefined;
}

/**
 * Rules of a document, checked as S3 checks them, but for their targets.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html
 * @throws S3Error MalformedXML, InvalidArgument
 */
export function requestedNotifications(document: Document): readonly RequestedRule[] {
  const { topics, queues, functions, eventBridge } = document;
  const rules = [
    ...topics.map((one) => readRule('topic', one.Topic, one)),
    ...queues.map((one) => readRule('queue', one.Queue, one)),
    ...functions.map((one) => readRule('function', one.CloudFunction, one)),
  ];
  const ids = rules.flatMap(({ id }) => id ?? []);
  if (new Set(ids).size < ids.length) {
    throw new S3Error('InvalidArgument', { message: 'Same ID used for multiple configurations. IDs must be unique' });
  }
  if (rules.some((rule, at) => rules.slice(0, at).some((other) => overlap(rule, other)))) {
    throw new S3Error('InvalidArgument', {
      message: 'Configurations overlap. Configurations on the same bucket cannot share a common event type.',
    });
  }
  return eventBridge === undefined ? rules : [...rules, ALL_TO_EVENT_BRIDGE];
}

/**
 * Gives an id to each rule that has none. One that is put again keeps the id that it got before: events that wait for
 * their receiver belong to the rule of an id.
 * @param before the rules that are replaced
 */
export function withIds(
  rules: readonly RequestedRule[],
  before: readonly NotificationRule[],
): readonly NotificationRule[] {
  const taken = new Set(rules.map(({ id }) => id));
  const known = new Map(before.filter(({ id }) => !taken.has(id)).map((rule) => [contentOf(rule), rule.id]));
  const draw = (): string => Buffer.from(randomUUID()).toString('base64');
  return rules.map((rule) => ({ ...rule, id: rule.id ?? known.get(contentOf(rule)) ?? draw() }));
}

/** All that a rule says but its id, as text. */
function contentOf({ kind, target, events, filter }: RequestedRule): string {
  return JSON.stringify([kind, target, events, filter?.map(({ name, value }) => [name, value])]);
}

const ALL_TO_EVENT_BRIDGE: NotificationRule = {
  id: 'EventBridge',
  kind: 'eventBridge',
  target: EVENT_BRIDGE,
  events: [],
};

interface RuleElement {
  readonly Id: string | undefined;
  readonly events: readonly string[];
  readonly Filter: Filter;
}

function readRule(kind: TargetKind, target: string, { Id, events, Filter }: RuleElement): RequestedRule {
  if (events.length === 0) throw new S3Error('MalformedXML');
  const { element, service } = KINDS[kind];
  if (ARN.exec(target)?.[1] !== service) throw invalidArgument(element, target, 'The ARN could not be parsed');
  const stranger = events.find((name) => !isConfigurable(name));
  if (stranger !== undefined) {
    throw invalidArgument('Event', stranger, 'The event is not supported for notifications');
  }
  if ((Id?.length ?? 0) > MAX_ID) throw invalidArgument('Id', Id ?? '', 'Id must not be longer than 255 characters');
  return {
    id: Id === '' ? undefined : Id,
    kind,
    target,
    events,
    ...(Filter !== undefined && { filter: readFilter(Filter) }),
  };
}

function readFilter({ S3Key }: NonNullable<Filter>): readonly FilterRule[] {
  const rules = (S3Key?.rules ?? []).map(({ Name, Value }): FilterRule => {
    const name = Name.toLowerCase();
    if (name !== 'prefix' && name !== 'suffix') {
      throw invalidArgument('FilterRule.Name', Name, 'filter rule name must be either prefix or suffix');
    }
    if (Value.length > MAX_VALUE) {
      throw invalidArgument('FilterRule.Value', Value, 'filter rule value cannot be longer than 1024 characters');
    }
    return { name, value: Value };
  });
  for (const name of ['prefix', 'suffix'] as const) {
    if (rules.filter((rule) => rule.name === name).length < 2) continue;
    throw invalidArgument('FilterRule.Name', name, `Cannot specify more than one ${name} rule in a filter.`);
  }
  return rules;
}

/** The name that an ARN gives to its target. Undefined: it is not the ARN of one. */
export function targetName(arn: string): string | undefined {
  return ARN.exec(arn)?.[2];
}

/** The document of rules as GET answers it: names of filters are written large. */
export function notificationDocument(rules: readonly NotificationRule[]): XmlDocument {
  const elements = (wanted: TargetKind): XmlValue[] =>
    rules
      .filter(({ kind }) => kind === wanted)
      .map(({ id, target, events, filter }) => ({
        Id: id,
        [KINDS[wanted].element]: target,
        events,
        ...(filter !== undefined && {
          Filter: {
            S3Key: { rules: filter.map(({ name, value }) => ({ Name: capital(name), Value: value })) },
          },
        }),
      }));
  return xml(NOTIFICATION_CONFIGURATION, {
    topics: elements('topic'),
    queues: elements('queue'),
    functions: elements('function'),
    ...(rules.some(({ kind }) => kind === 'eventBridge') && { eventBridge: {} }),
  });
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

import { randomUUID } from 'node:crypto';
import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import { isCalendarDay } from '../http-date.ts';
import type { Tag } from '../tagging.ts';
import type { Decoded } from '../xml/decode.ts';
import { type XmlDocument, type XmlValue, xml } from '../xml/document.ts';
import { LIFECYCLE_CONFIGURATION } from '../xml/lifecycle-shape.ts';
import { xmlDate } from '../xml/xml-date.ts';
import { checkLifecycle } from './check-lifecycle.ts';
import { CALENDAR } from './due.ts';
import type { Expiration, Lifecycle, LifecycleFilter, S3LifecycleRule, MinimumSize } from './lifecycle.ts';

type Document = Decoded<typeof LIFECYCLE_CONFIGURATION>;
type RuleElement = Document['rules'][number];
type FilterElement = NonNullable<RuleElement['Filter']>;

/**
 * Rules of a document, checked as S3 checks them. A rule without an ID gets one.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html
 * @throws S3Error MalformedXML, InvalidRequest, InvalidArgument
 */
export function requestedLifecycle({ rules }: Document, minimumSize: MinimumSize | undefined): Lifecycle {
  const lifecycle = { rules: rules.map(readRule), ...(minimumSize !== undefined && { minimumSize }) };
  checkLifecycle(lifecycle);
  return lifecycle;
}

function readRule(rule: RuleElement): S3LifecycleRule {
  const { Status, Prefix, Filter, Expiration: expiration, transitions, noncurrentTransitions } = rule;
  if (Status !== 'Enabled' && Status !== 'Disabled') throw new S3Error('MalformedXML');
  const noncurrent = rule.NoncurrentVersionExpiration;
  return {
    id: rule.ID === undefined || rule.ID === '' ? newId() : rule.ID,
    isEnabled: Status === 'Enabled',
    ...(Prefix !== undefined && { prefix: Prefix }),
    ...(Filter !== undefined && { filter: readFilter(Filter) }),
    ...(expiration !== undefined && { expiration: readExpiration(expiration) }),
    ...(transitions.length > 0 && {
      transitions: transitions.map(({ Days, Date, StorageClass: storageClass }) => ({
        ...readMoment({ Days, Date }),
        storageClass,
      })),
    }),
    ...(noncurrent !== undefined && { noncurrentExpiration: readNoncurrent(noncurrent) }),
    ...(noncurrentTransitions.length > 0 && {
      noncurrentTransitions: noncurrentTransitions.map((one) => ({
        ...readNoncurrent(one),
        storageClass: one.StorageClass,
      })),
    }),
    ...(rule.AbortIncompleteMultipartUpload !== undefined && {
      abortDays: rule.AbortIncompleteMultipartUpload.DaysAfterInitiation,
    }),
  };
}

/** As S3 generates them: base64 of a UUID. */
function newId(): string {
  return Buffer.from(randomUUID()).toString('base64');
}

function readFilter({ And, Tag, ...predicates }: FilterElement): LifecycleFilter {
  return {
    ...readPredicates(predicates),
    ...(Tag !== undefined && { tag: readTag(Tag) }),
    ...(And !== undefined && { and: { ...readPredicates(And), tags: And.tags.map(readTag) } }),
  };
}

type PredicateElements = Pick<FilterElement, 'Prefix' | 'ObjectSizeGreaterThan' | 'ObjectSizeLessThan'>;

function readPredicates({
  Prefix,
  ObjectSizeGreaterThan,
  ObjectSizeLessThan,
}: PredicateElements): Pick<LifecycleFilter, 'prefix' | 'sizeAbove' | 'sizeBelow'> {
  return {
    ...(Prefix !== undefined && { prefix: Prefix }),
    ...(ObjectSizeGreaterThan !== undefined && { sizeAbove: ObjectSizeGreaterThan }),
    ...(ObjectSizeLessThan !== undefined && { sizeBelow: ObjectSizeLessThan }),
  };
}

function readTag({ Key: key, Value: value }: { readonly Key: string; readonly Value: string }): Tag {
  return { key, value };
}

function readExpiration(element: NonNullable<RuleElement['Expiration']>): Expiration {
  const { ExpiredObjectDeleteMarker: loneMarkers } = element;
  return { ...readMoment(element), ...(loneMarkers !== undefined && { loneMarkers }) };
}

function readMoment({
  Days: days,
  Date: date,
}: {
  readonly Days: number | undefined;
  readonly Date: string | undefined;
}): Pick<Expiration, 'days' | 'date'> {
  return { ...(days !== undefined && { days }), ...(date !== undefined && { date: dateAtMidnight(date) }) };
}

const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * `Date` of a rule: a day, or a moment of ISO 8601 that is a midnight in UTC. A moment without a zone is one in UTC.
 * @returns milliseconds since the epoch @throws S3Error MalformedXML, InvalidArgument
 */
function dateAtMidnight(text: string): number {
  const said = text.trim();
  const isLocal = said.length > 10 && !/(?:Z|[+-]\d\d:?\d\d)$/.test(said);
  const time = ISO_8601.test(said) && isCalendarDay(said.slice(0, 10)) ? Date.parse(isLocal ? `${said}Z` : said) : NaN;
  if (Number.isNaN(time)) throw new S3Error('MalformedXML');
  if (time % CALENDAR.ms !== 0) throw invalidArgument('Date', said, "'Date' must be at midnight GMT");
  return time;
}

function readNoncurrent(element: {
  readonly NoncurrentDays: number;
  readonly NewerNoncurrentVersions: number | undefined;
}): { days: number; newer?: number } {
  const { NoncurrentDays: days, NewerNoncurrentVersions: newer } = element;
  return { days, ...(newer !== undefined && { newer }) };
}

/** The document as it was put: clients that manage infrastructure compare the two. */
export function lifecycleDocument({ rules }: Lifecycle): XmlDocument {
  return xml(LIFECYCLE_CONFIGURATION, { rules: rules.map(ruleValue) });
}

function ruleValue(rule: S3LifecycleRule): XmlValue {
  const { prefix, filter, expiration, transitions, noncurrentExpiration, noncurrentTransitions, abortDays } = rule;
  return {
    ID: rule.id,
    Prefix: prefix,
    Filter: filter && filterValue(filter),
    Status: rule.isEnabled ? 'Enabled' : 'Disabled',
    Expiration: expiration && {
      ...momentValue(expiration),
      ExpiredObjectDeleteMarker: expiration.loneMarkers,
    },
    transitions: transitions?.map((one) => ({ ...momentValue(one), StorageClass: one.storageClass })),
    NoncurrentVersionExpiration: noncurrentExpiration && noncurrentValue(noncurrentExpiration),
    noncurrentTransitions: noncurrentTransitions?.map((one) => ({
      ...noncurrentValue(one),
      StorageClass: one.storageClass,
    })),
    AbortIncompleteMultipartUpload: abortDays === undefined ? undefined : { DaysAfterInitiation: abortDays },
  };
}

function filterValue({ and, tag, ...predicates }: LifecycleFilter): XmlValue {
  return {
    ...predicateValues(predicates),
    Tag: tag && tagValue(tag),
    And: and && { ...predicateValues(and), tags: and.tags.map(tagValue) },
  };
}

function predicateValues({ prefix, sizeAbove, sizeBelow }: LifecycleFilter): Readonly<Record<string, XmlValue>> {
  return { Prefix: prefix, ObjectSizeGreaterThan: sizeAbove, ObjectSizeLessThan: sizeBelow };
}

function tagValue({ key, value }: Tag): XmlValue {
  return { Key: key, Value: value };
}

function momentValue({ days, date }: Pick<Expiration, 'days' | 'date'>): Readonly<Record<string, XmlValue>> {
  return { Days: days, Date: date === undefined ? undefined : xmlDate(date) };
}

function noncurrentValue({
  days,
  newer,
}: NonNullable<S3LifecycleRule['noncurrentExpiration']>): Readonly<Record<string, XmlValue>> {
  return { NoncurrentDays: days, NewerNoncurrentVersions: newer };
}

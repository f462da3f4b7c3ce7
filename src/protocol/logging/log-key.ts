import { randomBytes } from 'node:crypto';
import { type BucketLogging, partitionedBy } from './bucket-logging.ts';

/** The bucket whose log it is. */
interface LoggedPlace {
  readonly bucket: string;
  /** Twelve digits. */
  readonly account: string;
  readonly region: string;
}

/**
 * The key of a new log object: `<prefix>YYYY-MM-DD-hh-mm-ss-<16 digits>`, partitioned
 * `<prefix><account>/<region>/<bucket>/YYYY/MM/DD/YYYY-MM-DD-hh-mm-ss-<16 digits>`. Random digits make it unique,
 * whichever replica writes it.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs.html#server-access-logging-overview
 * @param time of the delivery, milliseconds since 1970; partitioned by EventTime any time of the records' day, of which
 * the hour is then written as zero
 */
export function logKey(logging: BucketLogging, { bucket, account, region }: LoggedPlace, time: number): string {
  const [date = '', clock = ''] = new Date(time).toISOString().slice(0, 19).split('T');
  const source = partitionedBy(logging);
  const hour = source === 'EventTime' ? '00-00-00' : clock.replaceAll(':', '-');
  const folder = source === undefined ? '' : `${account}/${region}/${bucket}/${date.replaceAll('-', '/')}/`;
  const unique = randomBytes(8).toString('hex').toUpperCase();
  return `${logging.targetPrefix}${folder}${date}-${hour}-${unique}`;
}

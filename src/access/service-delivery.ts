import type { Bucket } from '../manifest/index.ts';
import { policyOf } from './bucket-policy.ts';
import type { ConditionKeys } from './policy/context.ts';
import { evaluate } from './policy/evaluate.ts';
import { PolicyWork, TooMuchWork } from './policy/work.ts';

const ACTION = 's3:PutObject';

/** One object that a service of S3's own is to write into a bucket, for another bucket. */
interface ServiceWrite {
  /** The service as policies name it: `logging.s3.amazonaws.com`. */
  readonly service: string;
  readonly target: Bucket;
  readonly key: string;
  /** For whom it is written. */
  readonly source: {
    readonly bucket: string;
    /** Twelve digits of the owner's account; undefined: it is no longer configured. */
    readonly account: string | undefined;
  };
  /** Twelve digits of the account that owns the target; undefined: it is no longer configured. */
  readonly targetAccount: string | undefined;
  /** What else conditions can ask, by the names of the keys in lower case. */
  readonly says?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * What the policy of the target says of the write. An Allow has to name the service; `*` lets no service in, and denies
 * all of them. `none`: it says nothing, or there is none.
 */
export function judgeServiceWrite(write: ServiceWrite): 'allow' | 'deny' | 'none' {
  const { service, target, key } = write;
  const policy = policyOf(target);
  if (policy === undefined) return 'none';
  const resource = `arn:aws:s3:::${target.name}/${key}`;
  const caller = { service, arns: [], isRoot: false };
  try {
    return evaluate([policy], { caller, action: ACTION, resource, keys: new ServiceKeys(write) }).effect;
  } catch (error) {
    if (error instanceof TooMuchWork) return 'deny';
    throw error;
  }
}

/**
 * What conditions can ask of such a write.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
 */
class ServiceKeys implements ConditionKeys {
  readonly #work = new PolicyWork();
  readonly #values: ReadonlyMap<string, string>;

  constructor({ service, source, targetAccount, says, now }: ServiceWrite) {
    this.#work.begin();
    this.#values = new Map(
      Object.entries({
        ...says,
        ...(source.account !== undefined && { 'aws:sourceaccount': source.account }),
        ...(targetAccount !== undefined && {
          'aws:resourceaccount': targetAccount,
          's3:resourceaccount': targetAccount,
        }),
        'aws:sourcearn': `arn:aws:s3:::${source.bucket}`,
        'aws:principalisawsservice': 'true',
        'aws:principalservicename': service,
        // What is written does not leave the process but for the cloud's own connection.
        'aws:securetransport': 'true',
        'aws:currenttime': new Date(now).toISOString().replace(/\.\d{3}Z$/, 'Z'),
        'aws:epochtime': String(Math.floor(now / 1000)),
      }),
    );
  }

  get(key: string): string | undefined {
    return this.#values.get(key);
  }

  spend(steps: number): void {
    this.#work.spend(steps);
  }
}

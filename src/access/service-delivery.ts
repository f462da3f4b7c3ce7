import type { Bucket } from '../manifest/index.ts';
import { policyOf } from './bucket-policy.ts';
import type { ConditionKeys } from './policy/context.ts';
import type { PolicyCondition } from './policy/document.ts';
import { evaluate, type PolicyAnswer } from './policy/evaluate.ts';
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

interface ServiceVerdict {
  /** `none`: the policy says nothing, or there is none. */
  readonly effect: 'allow' | 'deny' | 'none';
  /** The condition for which a statement that would allow the write does not; undefined: there is no such statement. */
  readonly unmet?: PolicyCondition | undefined;
}

/**
 * What the policy of the target says of the write. An Allow has to name the service; `*` lets no service in, and denies
 * all of them.
 */
export function judgeServiceWrite(write: ServiceWrite): ServiceVerdict {
  const { service, target, key } = write;
  const policy = policyOf(target);
  if (policy === undefined) return { effect: 'none' };
  const resource = `arn:aws:s3:::${target.name}/${key}`;
  const caller = { service, arns: [], isRoot: false };
  try {
    const { effect, said } = evaluate([policy], { caller, action: ACTION, resource, keys: new ServiceKeys(write) });
    return effect === 'none' ? { effect, unmet: unmetIn(said) } : { effect };
  } catch (error) {
    if (error instanceof TooMuchWork) return { effect: 'deny' };
    throw error;
  }
}

/** Conditions are asked last: a statement that answers with one is about this write and names the service. */
function unmetIn(said: readonly PolicyAnswer[]): PolicyCondition | undefined {
  for (const { policy, answers } of said) {
    for (const [index, answer] of answers.entries()) {
      if (typeof answer === 'object' && policy.document.statements[index]?.effect === 'Allow') return answer;
    }
  }
  return undefined;
}

/** For the operator. Without the values: some owners have a secret there, such as a referer. */
export function unmetWords({ key }: PolicyCondition): string {
  return `a statement names the service, but its condition on ${key} does not hold`;
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

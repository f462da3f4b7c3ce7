import type { ClockReading, LifecycleRule, StoreSurvey } from '../../store/survey.ts';
import type { Backend } from '../../manifest/index.ts';
import { type PreflightFinding, ok } from './finding.ts';

/** Signatures of clients and of calls to Azure are refused beyond 15 minutes. */
const WRONG_MS = 5 * 60_000;
const LOOSE_MS = 30_000;
/** Azure discards staged blocks after this time by itself, so aborting an upload later than that destroys nothing. */
const STAGING_DAYS = 7;
/** Where parts of open uploads lie on Cloud Storage, and nothing else. */
const PARTS_PREFIX = '~parts/';

/**
 * The time of the service against our own. Theirs has whole seconds, and was taken somewhere between question and
 * answer.
 */
export function judgeClock({ sent, received, service }: ClockReading): PreflightFinding {
  const skew = Math.round((service + 500 - (sent + received) / 2) / 1000);
  const detail =
    skew === 0
      ? 'the service has the same time'
      : `the service is ${Math.abs(skew)} s ${skew > 0 ? 'ahead' : 'behind'}`;
  const advice = 'let this machine keep time with NTP: signatures of a wrong time are refused';
  if (Math.abs(skew) * 1000 >= WRONG_MS) return { level: 'fail', check: 'clock', detail, advice };
  return Math.abs(skew) * 1000 >= LOOSE_MS ? { level: 'warn', check: 'clock', detail, advice } : ok('clock', detail);
}

/**
 * Compares what the account says of itself with what the gateway needs. Properties that cannot be read are reported,
 * too.
 */
export function judgeSurvey(survey: StoreSurvey): PreflightFinding[] {
  return [
    judgeNamespace(survey),
    judgeSoftDelete(survey),
    judgeVersioning(survey),
    ...judgeLifecycle(survey),
    ...judgeRetention(survey),
    judgePlace(survey),
  ];
}

function judgeNamespace({ hierarchicalNamespace }: StoreSurvey): PreflightFinding {
  const check = 'hierarchical namespace';
  if (hierarchicalNamespace === undefined) {
    return unseen(check, 'it must be off: az storage account show --query isHnsEnabled');
  }
  if (!hierarchicalNamespace) return ok(check, 'off');
  return {
    level: 'fail',
    check,
    detail: 'on',
    advice: 'it cannot be turned off: use an account (a bucket) without one',
  };
}

function judgeSoftDelete({ softDeleteDays }: StoreSurvey): PreflightFinding {
  const check = 'soft delete';
  if (softDeleteDays === undefined) {
    return unseen(
      check,
      'it should be off: az storage account blob-service-properties show --query deleteRetentionPolicy',
    );
  }
  if (softDeleteDays === 0) return ok(check, 'off');
  const advice =
    "turn it off for the gateway's own container: all that is staged and replaced is kept, and paid for, so long";
  return { level: 'warn', check, detail: `${softDeleteDays} days`, advice };
}

function judgeVersioning({ versioning }: StoreSurvey): PreflightFinding {
  const check = 'versioning of the cloud';
  if (versioning === undefined) return unseen(check, 'it should be off');
  if (!versioning) return ok(check, 'off');
  return {
    level: 'warn',
    check,
    detail: 'on',
    advice: 'turn it off: the gateway keeps versions itself, and every write would leave one more to be paid for',
  };
}

function judgeLifecycle({ lifecycle }: StoreSurvey): PreflightFinding[] {
  const check = 'lifecycle rules';
  if (lifecycle === undefined) {
    return [
      unseen(
        check,
        'none may delete in the system container, or uncommitted blobs: az storage account management-policy show',
      ),
    ];
  }
  const bad = lifecycle.map(judgeRule).filter((finding) => finding !== undefined);
  return bad.length > 0 ? bad : [ok(check, lifecycle.length === 0 ? 'none' : `${lifecycle.length}, none that harms`)];
}

function judgeRule({ action, prefixes, days }: LifecycleRule): PreflightFinding | undefined {
  const check = 'lifecycle rules';
  const where = prefixes.length === 0 ? 'everything in the system container' : prefixes.join(', ');
  const when = days === undefined ? '' : ` after ${days} days`;
  if (action === 'delete') {
    const partsOnly = prefixes.length > 0 && prefixes.every((prefix) => prefix.startsWith(PARTS_PREFIX));
    if (!partsOnly) {
      return {
        level: 'fail',
        check,
        detail: `one deletes ${where}${when}`,
        advice: 'remove it: records and versions lie there',
      };
    }
    if ((days ?? 0) >= STAGING_DAYS) return undefined;
    return {
      level: 'fail',
      check,
      detail: `one deletes ${where}${when}`,
      advice: `give uploads at least ${STAGING_DAYS} days`,
    };
  }
  if (action !== 'changeTier') return undefined;
  return {
    level: 'warn',
    check,
    detail: `one moves ${where} to another storage class${when}`,
    advice: 'except the system container: what lies there is read and replaced often',
  };
}

function judgeRetention({ retentionSeconds }: StoreSurvey): PreflightFinding[] {
  if (retentionSeconds === undefined || retentionSeconds === 0) return [];
  const detail = `nothing can be replaced for ${retentionSeconds} s`;
  return [
    {
      level: 'fail',
      check: 'retention policy',
      detail,
      advice: 'remove it from the system container: records change all the time',
    },
  ];
}

/**
 * Whether the account keeps what the configuration says of storage classes. A class that it cannot keep is refused when
 * an object is written, so this warns.
 */
export function judgeTiers(
  { tiers: kept }: StoreSurvey,
  { classes, kmsKeys, store }: Pick<Backend, 'classes' | 'kmsKeys' | 'store'>,
): PreflightFinding[] {
  const check = 'tiers of storage classes';
  if (classes === undefined) return [];
  const scopes: PreflightFinding = {
    level: 'note',
    check,
    detail: 'objects under keys of kmsKeys cannot be archived: their encryption scopes forbid it',
    advice: 'name no key for objects of classes that lie in the tier archive; they are refused',
  };
  const archives = [...classes.tiers.values()].includes('archive');
  const notes = archives && kmsKeys !== undefined && store.capabilities.archiveIsOffline ? [scopes] : [];
  if (kept === undefined) {
    return [unseen(check, 'Archive needs LRS, GRS or RA-GRS, and a standard account; see the SKU'), ...notes];
  }
  const lost = [...classes.tiers].filter(([, tier]) => !kept.includes(tier)).map(([name]) => name);
  if (lost.length === 0) return [ok(check, 'the account keeps all of them'), ...notes];
  return [
    {
      level: 'warn',
      check,
      detail: `the account cannot keep ${lost.join(', ')} in their tiers`,
      advice: 'writes of these classes are refused: use another account, or give them other tiers in storageClasses',
    },
    ...notes,
  ];
}

function judgePlace({ region, redundancy }: StoreSurvey): PreflightFinding {
  const words = [redundancy, region === undefined ? undefined : `in ${region}`].filter((word) => word !== undefined);
  if (words.length === 0) return unseen('region and redundancy', 'the gateway should run in the same region');
  const check = region === undefined ? 'redundancy' : 'region and redundancy';
  return ok(check, words.join(' '));
}

function unseen(check: string, advice: string): PreflightFinding {
  return { level: 'note', check, detail: 'this credential does not see it', advice };
}

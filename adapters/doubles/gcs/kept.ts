import { Refusal } from './refusal.ts';

/** What holds and retention are decided by. */
interface Keepable {
  readonly bucket: string;
  readonly name: string;
  readonly timeCreated: number;
  readonly fields: { readonly temporaryHold?: boolean; readonly eventBasedHold?: boolean };
}

interface Retaining {
  readonly fields: { readonly retentionPolicy?: Readonly<Record<string, unknown>> };
}

/**
 * Refuses to remove or replace what a hold or the bucket's retention policy keeps
 * (https://cloud.google.com/storage/docs/object-holds, https://cloud.google.com/storage/docs/bucket-lock). Metadata may
 * change. As the service was recorded to, it says in words only that no permission is missing.
 * @throws Refusal 403 `forbidden`
 */
export function refuseKept(bucket: Retaining, object: Keepable | undefined, now: number): void {
  if (object === undefined) return;
  const { temporaryHold, eventBasedHold } = object.fields;
  if (temporaryHold === true || eventBasedHold === true) {
    const kind = temporaryHold === true ? 'Temporary' : 'Event-Based';
    throw kept(object, `is under active ${kind} hold and cannot be deleted, overwritten or archived.`);
  }
  const until = object.timeCreated + retentionOf(bucket);
  if (now >= until) return;
  const words = "is subject to bucket's retention policy and cannot be deleted, overwritten or archived until";
  throw kept(object, `${words} ${new Date(until).toISOString()}`);
}

/** Milliseconds. */
function retentionOf({ fields }: Retaining): number {
  return Number(fields.retentionPolicy?.['retentionPeriod'] ?? 0) * 1000;
}

function kept({ bucket, name }: Pick<Keepable, 'bucket' | 'name'>, words: string): Refusal {
  return new Refusal(403, 'forbidden', `Object '${bucket}/${name}' ${words}`, { xmlCode: 'AccessDenied' });
}

/** Where the containers of a backend lie: on one service, under their names with `prefix` before them. */
export interface BackendPlace {
  /** Equal for two backends on the same account, or on a service where all accounts share one namespace. */
  readonly service: string;
  readonly prefix: string;
}

/**
 * The account of Azure Blob Storage that a host belongs to. Secondary, private and zonal hosts belong to the same
 * account; a custom domain does not show its account.
 */
export function azurePlace(
  endpoint: string | undefined,
  account: string | undefined,
  suffix = 'core.windows.net',
): BackendPlace | undefined {
  if (endpoint === undefined) {
    return account === undefined ? undefined : { service: `${account}.blob.${suffix}`.toLowerCase(), prefix: '' };
  }
  const { hostname, host, pathname } = new URL(endpoint);
  const [, name, domain] =
    /^([a-z0-9]{3,24})(?:-secondary)?(?:\.z[0-9]+)?(?:\.privatelink)?\.blob\.(.+)$/.exec(hostname.toLowerCase()) ?? [];
  const service =
    name === undefined || domain === undefined
      ? `${host}${pathname.replace(/\/+$/, '')}`.toLowerCase()
      : `${name}.blob.${domain}`;
  return { service, prefix: '' };
}

/** On Cloud Storage all projects share one namespace of bucket names. */
export function gcsPlace(endpoint: string | undefined, prefix: string): BackendPlace {
  return { service: `gcs ${new URL(endpoint ?? 'https://storage.googleapis.com').host}`, prefix };
}

/** Finds an earlier backend whose containers could have the same names as those of this backend. */
export function overlapping(place: BackendPlace, others: ReadonlyMap<string, BackendPlace>): string | undefined {
  for (const [name, other] of others) {
    if (
      other.service === place.service &&
      (other.prefix.startsWith(place.prefix) || place.prefix.startsWith(other.prefix))
    ) {
      return name;
    }
  }
  return undefined;
}

/** What is wrong, and what to do. */
export function overlapMessage(other: string): string {
  return `its containers would be those of backends.${other}: each would take the other's buckets for its own. Use one backend, another account, or on Google another bucketPrefix (neither the beginning of the other)`;
}

/**
 * Where a backend's containers lie: containers of one service whose real names are `prefix` and the container's name.
 */
export interface BackendPlace {
  /** The same for two backends on one account, or on one service with names for all. */
  readonly service: string;
  readonly prefix: string;
}

/**
 * An account of Azure Blob Storage. Its secondary, private and zonal hosts are one account; a host of the customer's
 * own shows nothing.
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

/** Cloud Storage: names of buckets are one namespace, whatever the project. */
export function gcsPlace(endpoint: string | undefined, prefix: string): BackendPlace {
  return { service: `gcs ${new URL(endpoint ?? 'https://storage.googleapis.com').host}`, prefix };
}

/** A backend before this one whose containers could have the names of this one's. */
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

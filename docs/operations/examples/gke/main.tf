terraform {
  required_providers {
    google = { source = "hashicorp/google", version = "~> 6.0" }
    helm   = { source = "hashicorp/helm", version = "~> 3.0" }
  }
}

variable "project" { type = string }
variable "location" { type = string }
variable "cluster" { type = string }
variable "image_repository" { type = string }
variable "bucket_prefix" {
  type        = string
  description = "Stands before every bucket's name, e.g. acme-s3- (bucket names are shared by all of Google's customers)."
}
variable "namespace" {
  type    = string
  default = "storage"
}
variable "release" {
  type    = string
  default = "s3"
}

locals {
  service_account = "${var.release}-s3-cloud-gateway"
  role            = yamldecode(file("${path.module}/../../permissions/gcs-role.yaml"))
}

provider "google" {
  project = var.project
}

data "google_project" "this" {}

data "google_client_config" "this" {}

data "google_container_cluster" "this" {
  name     = var.cluster
  location = var.location
}

resource "google_project_iam_custom_role" "gateway" {
  role_id     = "s3CloudGateway"
  title       = local.role.title
  description = local.role.description
  stage       = local.role.stage
  permissions = local.role.includedPermissions
}

# The Kubernetes service account itself: no service account of IAM in between, and no key.
resource "google_project_iam_member" "gateway" {
  project = var.project
  role    = google_project_iam_custom_role.gateway.id
  member  = "principal://iam.googleapis.com/projects/${data.google_project.this.number}/locations/global/workloadIdentityPools/${var.project}.svc.id.goog/subject/ns/${var.namespace}/sa/${local.service_account}"
}

# Made here so that its lifecycle rule bounds the age of open uploads; the gateway would make it without one.
resource "google_storage_bucket" "system" {
  name                        = "${var.bucket_prefix}s3gw-system"
  location                    = var.location
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"

  soft_delete_policy {
    retention_duration_seconds = 0
  }

  lifecycle_rule {
    condition {
      age            = 30
      matches_prefix = ["~parts/"]
    }
    action {
      type = "Delete"
    }
  }
}

provider "helm" {
  kubernetes = {
    host                   = "https://${data.google_container_cluster.this.endpoint}"
    token                  = data.google_client_config.this.access_token
    cluster_ca_certificate = base64decode(data.google_container_cluster.this.master_auth[0].cluster_ca_certificate)
  }
}

resource "helm_release" "gateway" {
  name      = var.release
  namespace = var.namespace
  chart     = "${path.module}/../../../../helm"
  values    = [file("${path.module}/values.yaml")]

  set = [
    { name = "image.repository", value = var.image_repository },
    { name = "config.backends.gcs.projectId", value = var.project },
    { name = "config.backends.gcs.location", value = var.location },
    { name = "config.backends.gcs.bucketPrefix", value = var.bucket_prefix },
  ]

  depends_on = [google_project_iam_member.gateway, google_storage_bucket.system]
}

terraform {
  required_providers {
    azurerm = { source = "hashicorp/azurerm", version = "~> 4.0" }
    helm    = { source = "hashicorp/helm", version = "~> 3.0" }
  }
}

variable "resource_group" { type = string }
variable "cluster" { type = string }
variable "storage_account" { type = string }
variable "image_repository" { type = string }
variable "namespace" {
  type    = string
  default = "storage"
}
variable "release" {
  type    = string
  default = "s3"
}

locals {
  # The chart's full name, which is also that of its service account.
  service_account = "${var.release}-s3-cloud-gateway"
}

provider "azurerm" {
  features {}
  # The account below has no shared keys.
  storage_use_azuread = true
}

data "azurerm_resource_group" "this" {
  name = var.resource_group
}

data "azurerm_subscription" "this" {}

data "azurerm_kubernetes_cluster" "this" {
  name                = var.cluster
  resource_group_name = var.resource_group
}

resource "azurerm_storage_account" "this" {
  name                            = var.storage_account
  resource_group_name             = data.azurerm_resource_group.this.name
  location                        = data.azurerm_resource_group.this.location
  account_kind                    = "StorageV2"
  account_tier                    = "Standard"
  account_replication_type        = "ZRS"
  is_hns_enabled                  = false # keys a and a/b must both be possible
  shared_access_key_enabled       = false
  allow_nested_items_to_be_public = false
  min_tls_version                 = "TLS1_2"

  blob_properties {
    versioning_enabled = false # S3 versions are the gateway's own
    container_delete_retention_policy {
      days = 14
    }
  }
}

resource "azurerm_user_assigned_identity" "gateway" {
  name                = "s3-cloud-gateway"
  resource_group_name = data.azurerm_resource_group.this.name
  location            = data.azurerm_resource_group.this.location
}

locals {
  role = jsondecode(file("${path.module}/../../permissions/azure-role.json"))
}

resource "azurerm_role_definition" "gateway" {
  name        = local.role.Name
  description = local.role.Description
  scope       = data.azurerm_subscription.this.id

  permissions {
    actions      = local.role.Actions
    data_actions = local.role.DataActions
  }
}

resource "azurerm_role_assignment" "gateway" {
  scope              = azurerm_storage_account.this.id
  role_definition_id = azurerm_role_definition.gateway.role_definition_resource_id
  principal_id       = azurerm_user_assigned_identity.gateway.principal_id
}

resource "azurerm_federated_identity_credential" "gateway" {
  name                = "s3-cloud-gateway"
  resource_group_name = data.azurerm_resource_group.this.name
  parent_id           = azurerm_user_assigned_identity.gateway.id
  audience            = ["api://AzureADTokenExchange"]
  issuer              = data.azurerm_kubernetes_cluster.this.oidc_issuer_url
  subject             = "system:serviceaccount:${var.namespace}:${local.service_account}"
}

provider "helm" {
  kubernetes = {
    host                   = data.azurerm_kubernetes_cluster.this.kube_config[0].host
    client_certificate     = base64decode(data.azurerm_kubernetes_cluster.this.kube_config[0].client_certificate)
    client_key             = base64decode(data.azurerm_kubernetes_cluster.this.kube_config[0].client_key)
    cluster_ca_certificate = base64decode(data.azurerm_kubernetes_cluster.this.kube_config[0].cluster_ca_certificate)
  }
}

resource "helm_release" "gateway" {
  name      = var.release
  namespace = var.namespace
  chart     = "${path.module}/../../../../helm"
  values    = [file("${path.module}/values.yaml")]

  set = [
    { name = "image.repository", value = var.image_repository },
    { name = "identity.azure.clientId", value = azurerm_user_assigned_identity.gateway.client_id },
    { name = "config.backends.azure.account", value = azurerm_storage_account.this.name },
  ]

  depends_on = [azurerm_role_assignment.gateway, azurerm_federated_identity_credential.gateway]
}

# Windows nodes of a Kubernetes cluster in a managed instance group, set up by k8s-win.
terraform {
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 5.0"
    }
  }
}

variable "project" { type = string }
variable "region" { type = string }
variable "subnetwork" { type = string }

variable "secret" {
  type        = string
  description = "Secret of the Secret Manager with the bootstrap token."
  default     = "k8s-win-join"
}

variable "size" {
  type    = number
  default = 1
}

provider "google" {
  project = var.project
  region  = var.region
}

resource "google_service_account" "node" {
  account_id = "k8s-win-node"
}

# Nothing but one secret.
resource "google_secret_manager_secret_iam_member" "node" {
  secret_id = var.secret
  role      = "roles/secretmanager.secretAccessor"
  member    = "serviceAccount:${google_service_account.node.email}"
}

resource "google_compute_instance_template" "node" {
  name_prefix  = "k8s-win-"
  machine_type = "n2-standard-2"
  tags         = ["k8s-win"]

  disk {
    source_image = "windows-cloud/windows-2022-core"
    disk_size_gb = 100
    disk_type    = "pd-balanced"
    boot         = true
  }

  network_interface {
    subnetwork = var.subnetwork
  }

  metadata = {
    windows-startup-script-cmd = file("${path.module}/userdata.cmd")
  }

  service_account {
    email  = google_service_account.node.email
    scopes = ["cloud-platform"]
  }

  lifecycle {
    create_before_destroy = true
  }

  depends_on = [google_secret_manager_secret_iam_member.node]
}

resource "google_compute_region_instance_group_manager" "nodes" {
  name               = "k8s-win"
  base_instance_name = "k8s-win"
  region             = var.region
  target_size        = var.size

  version {
    instance_template = google_compute_instance_template.node.self_link
  }
}

# UDP 4789 between the nodes. Allow it from and to the Linux nodes too, and TCP 10250 from the control plane.
resource "google_compute_firewall" "overlay" {
  name        = "k8s-win-overlay"
  network     = data.google_compute_subnetwork.nodes.network
  source_tags = ["k8s-win"]
  target_tags = ["k8s-win"]

  allow {
    protocol = "udp"
    ports    = ["4789"]
  }
}

data "google_compute_subnetwork" "nodes" {
  name = var.subnetwork
}

# An AMI of Windows Server with the feature Containers and k8s-win: new nodes need no restart and no download of k8s-win.
variable "program_url" {
  type = string
}

variable "program_sha256" {
  type = string
}

variable "region" {
  type    = string
  default = "eu-central-1"
}

source "amazon-ebs" "windows" {
  region         = var.region
  instance_type  = "m6i.large"
  ami_name       = "k8s-win-${formatdate("YYYYMMDDhhmmss", timestamp())}"
  communicator   = "winrm"
  winrm_username = "Administrator"
  winrm_use_ssl  = true
  winrm_insecure = true
  user_data_file = "${path.root}/winrm.txt"

  # Sysprep shuts Windows down, which stops the instance: Packer waits for that.
  disable_stop_instance = true

  source_ami_filter {
    owners      = ["amazon"]
    most_recent = true
    filters = {
      name = "Windows_Server-2022-English-Core-Base-*"
    }
  }
}

build {
  sources = ["source.amazon-ebs.windows"]

  provisioner "windows-shell" {
    environment_vars = ["URL=${var.program_url}", "DIGEST=${var.program_sha256}"]
    script           = "${path.root}/install.cmd"
  }

  provisioner "windows-restart" {}

  provisioner "windows-shell" {
    inline = ["\"%ProgramFiles%\\k8s-win\\k8s-win.exe\" --version"]
  }

  # It resets EC2Launch, too, which runs user data once per image: instances of the new image run theirs.
  provisioner "windows-shell" {
    inline = ["\"%ProgramFiles%\\Amazon\\EC2Launch\\EC2Launch.exe\" sysprep --shutdown"]
  }
}

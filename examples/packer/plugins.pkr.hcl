# For "packer init", from Packer 1.7 on. The version is the oldest that Packer installs for this builder.
packer {
  required_plugins {
    amazon = {
      source  = "github.com/hashicorp/amazon"
      version = ">= 1.2.0"
    }
  }
}

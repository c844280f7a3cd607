// Sockets: can a port be reached, is a port free.

export interface Net {
  canConnect(host: string, port: number, deadlineMs: number): Promise<boolean>
  /** Nobody on this machine listens on the port (any local address). */
  isPortFree(protocol: 'tcp' | 'udp', port: number): Promise<boolean>
}

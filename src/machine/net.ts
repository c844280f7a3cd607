// Sockets: can a port be reached, is a port free.

export interface Net {
  canConnect(host: string, port: number, deadlineMs: number): Promise<boolean>
  /**
   * One empty datagram leaves this machine. UDP shows no more: whoever gets it says nothing, and that nobody listens
   * there (ICMP) is kept from programs of Node on Windows (libuv, src/win/udp.c).
   */
  canSend(host: string, port: number, deadlineMs: number): Promise<boolean>
  /** Nobody on this machine listens on the port (any local address). */
  isPortFree(protocol: 'tcp' | 'udp', port: number): Promise<boolean>
}

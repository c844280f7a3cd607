// Errors of containerd's gRPC services, as a client in Go prints them.

export class RpcError extends Error {
  constructor(
    readonly code: 'Canceled' | 'NotFound' | 'Unavailable' | 'Unimplemented' | 'Unknown',
    message: string,
  ) {
    super(message)
  }

  /** google.golang.org/grpc, status.Error */
  get text(): string {
    return `rpc error: code = ${this.code} desc = ${this.message}`
  }
}

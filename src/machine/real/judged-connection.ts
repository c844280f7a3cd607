// A connection that is used only where its other end was judged first, while it is open.
import {Agent} from 'node:http'
import {connect, type Socket, type TcpNetConnectOpts} from 'node:net'
import type {JudgePeer} from '../http.js'
import type {ConnectionEnds} from '../win32.js'

export function endsOf({localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0}: Socket): ConnectionEnds {
  return {
    local: {address: localAddress, port: localPort},
    remote: {address: remoteAddress, port: remotePort},
  }
}

/** Of one connection. */
export function judgedAgent(judge: JudgePeer): Agent {
  const agent = new Agent()
  agent.createConnection = (options, handOver) => {
    const socket = connect(options as TcpNetConnectOpts)
    let isOver = false
    // Also of a connection that its other end has closed meanwhile: it has no error any more.
    const fail = (error: Error): void => {
      socket.destroy()
      if (!isOver) handOver?.(error, socket)
      isOver = true
    }
    socket.once('error', fail)
    socket.once('connect', () => {
      judge(endsOf(socket)).then(
        () => {
          socket.off('error', fail)
          handOver?.(null, socket)
        },
        (error: unknown) => fail(error as Error),
      )
    })
    return undefined
  }
  return agent
}

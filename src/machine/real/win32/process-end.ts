// The end of our process while a call into Windows hangs. process.exit would wait for it: libuv joins its worker threads.

interface Ending {
  on(event: 'exit', listener: (exitCode: number) => void): unknown
}

/** All that was to be written is written when `exit` is emitted, so the process may be ended the hard way. */
export function endDespiteHungCalls(
  ending: Ending,
  running: () => number,
  terminate: (exitCode: number) => void,
): void {
  ending.on('exit', (exitCode) => {
    if (running() > 0) terminate(exitCode)
  })
}

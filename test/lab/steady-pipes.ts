// Wine's server dies of pipes that are closed at the wrong moment: every node.exe of the lab, and every one that one starts,
// loads the library that spares it (programs/wine-pipes.dll.c).

/** Beside the package's node_modules, so that koffi is found. */
export const STEADY_PIPES = 'C:\\k8s-win\\steady-pipes.cjs'

export const STEADY_PIPES_SOURCE = String.raw`require('koffi').load('C:\\lab\\programs\\wine-pipes.dll')
`

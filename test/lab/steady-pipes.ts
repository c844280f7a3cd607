// Wine's server dies of pipes that are closed at the wrong moment: every node.exe of the lab, and every one that one starts,
// loads the library that spares it (programs/wine-pipes.dll.c).
import {KOFFI_SETTINGS} from '../../src/machine/real/win32/library.js'

/** Beside the package's node_modules, so that koffi is found. */
export const STEADY_PIPES = 'C:\\k8s-win\\steady-pipes.cjs'

/** koffi takes no settings after the first library, so the product's are set here. */
export const STEADY_PIPES_SOURCE = String.raw`const koffi = require('koffi')
koffi.config(${JSON.stringify(KOFFI_SETTINGS)})
koffi.load('C:\\lab\\programs\\wine-pipes.dll')
`

// The start of the single executable: as bin/run.js, but everything that is read from the package's folder there is in memory.
import path from 'node:path'
import {start} from '../src/cli/main.js'

// Nothing is read from there: it is only what oclif calls the root of the package.
void start(path.dirname(process.execPath), async () => [(await import('./exe-plugin.js')).exePlugin()])

// The part of the single executable that is read only where a command runs: see bundle() in exe.ts.
export {reportLostOutput} from '../src/cli/report-error.js'
export {runCommandLine} from '../src/cli/run-command-line.js'
export {exePlugin} from './exe-plugin.js'

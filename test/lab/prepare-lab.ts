// Builds the lab where it is missing, and nothing else: CI does so beside the tests, since most of it is downloads.
import {buildLab} from './build-lab.js'

const {inUse} = await buildLab((line) => process.stdout.write(`lab: ${line}\n`))
await inUse.release()

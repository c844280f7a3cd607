// A Machine whose effects are those of the models, on a simulated host or on a twin.
import type {Files} from '../machine/files.js'
import type {Machine} from '../machine/machine.js'
import {type Effects, watchFiles} from './effects.js'
import {createHttp} from './http.js'
import type {DeclaredDigests} from './mirror/digests.js'
import {createNet} from './net.js'
import {withDatabase} from './containerd/database.js'
import {withRunningPrograms} from './running-programs.js'
import {recordedRun, recordedWin32, type Transcript} from './transcript.js'
import {createWin32} from './windows/win32.js'

interface ModelParts {
  readonly declared: DeclaredDigests
  readonly drive: Files
  readonly effects: Effects
  readonly save?: () => void
  readonly transcript: Transcript
}

export function modelledMachine({declared, drive, effects, save, transcript}: ModelParts): Machine {
  const {clock, stage} = effects
  return {
    clock,
    files: withDatabase(withRunningPrograms(watchFiles(drive, clock, save), clock, stage.world), stage.world),
    http: createHttp({declared, effects, files: drive, transcript}),
    net: createNet(effects),
    run: recordedRun(effects, transcript),
    simulated: true,
    win32: recordedWin32(createWin32(stage), effects, transcript),
  }
}

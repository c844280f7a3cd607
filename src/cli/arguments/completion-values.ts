// What may follow a command or a flag, for completion in shells. The flags with a fixed list of their own name it themselves.
import {IGNORABLE_CHECK_IDS} from '../../config/check-ids.js'
import {LAUNCHERS} from '../../config/launchers.js'
import {BASE_IMAGES} from '../../config/model.js'
import {NO_IMAGES, RUNTIMES} from '../../config/options/parse-option.js'
import {STEP_IDS} from '../../config/step-ids.js'
import {USERDATA_CLOUDS, USERDATA_FORMATS} from '../../config/options/userdata-options.js'
import {COMPONENTS} from '../../logs/components.js'
import {DAEMON_PROGRAMS, DAEMON_WORDS} from '../../runs/daemons/daemon-names.js'
import {COMPLETION_SCRIPTS, type Values} from './completion-script.js'

export async function completionValues(): Promise<Values> {
  const {PROFILES} = await import('../../simulator/index.js')
  return {
    arguments: {
      completion: Object.keys(COMPLETION_SCRIPTS),
      logs: COMPONENTS,
      restart: DAEMON_WORDS,
      run: DAEMON_PROGRAMS,
      start: DAEMON_WORDS,
      stop: DAEMON_WORDS,
      userdata: USERDATA_CLOUDS,
    },
    flags: {
      'base-images': [...BASE_IMAGES, NO_IMAGES],
      format: USERDATA_FORMATS,
      'ignore-check': IGNORABLE_CHECK_IDS,
      launcher: LAUNCHERS,
      runtime: RUNTIMES,
      simulate: Object.keys(PROFILES),
      skip: STEP_IDS,
    },
  }
}

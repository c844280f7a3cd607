// What the steps of all daemons' services have in common: how they are stopped and removed.
import type {Daemon} from '../../config/daemons.js'
import {NOT_RESTARTED} from '../../pipeline/desired/services/service.js'
import {retireService} from '../../pipeline/desired/services/stop-service.js'
import type {Step} from '../../pipeline/run/step.js'

export const serviceStep = ({service, step: id}: Daemon, step: Omit<Step, 'id'>): Step => ({
  driftCause: NOT_RESTARTED,
  id,
  removal: `Remove the service ${service}`,
  stop: (context) => retireService(context, service),
  ...step,
})

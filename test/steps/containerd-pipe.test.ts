// Another account that opens containerd's pipe first, and answers as containerd would: containerd itself exits, again and
// again, under a wrapper that keeps running.
import {expect, it} from 'vitest'
import type {StepContext} from '../../src/pipeline/run/step.js'
import {containerdServiceStep} from '../../src/steps/services/containerd-service.js'
import {applySteps, changed, openContainerdHost} from '../health/containerd-host.js'

it('is not taken for containerd', async () => {
  const made = await openContainerdHost()
  await applySteps(made, 'base-dir', 'flannel-binary', 'containerd-binaries', 'containerd-config')
  const {context, host} = await changed(made, ({os}) => os.listening.push('npipe/containerd-containerd'))
  const version = async () => ({os: 'windows', version: context.config.versions.containerd.text})
  const deceived: StepContext = {...context, host: {...host, containerd: {...host.containerd, version}}}
  await expect(containerdServiceStep.apply(deceived)).rejects.toMatchObject({id: 'SERVICE_NOT_HEALTHY'})
})

"""PyTorch: losses, networks and mixed precision."""

import contextlib

import torch
from labelguard_arrays import nearest_with_gradient
from labelguard_calling import call, loss_in, names_of, no_loss
from labelguard_torch_logits import Logits, as_pixels, predictions
from labelguard_torch_nan import NanTracer, is_finite

_TYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
_PER_CLASS = ("weight", "pos_weight")          # arguments that are tensors, one value for each class
_NETWORKS_RATE = 1e-3
_SCALE = 2.0**15        # as torch.amp.GradScaler does, which begins with twice that


class Adapter:
    """Puts jobs through a torch loss, or through a network and its loss.

    Parameters
    ----------
    settings
        `device`: ``"cpu"``, ``"cuda"`` or ``"auto"``; `amp`: ``"fp32"``, ``"fp16"`` or ``"bf16"``.
    """

    def __init__(self, settings):
        wanted = settings["device"]
        self.device = torch.device("cuda" if wanted != "cpu" and torch.cuda.is_available() else "cpu")
        self.dtype = _TYPES[settings["amp"]]
        self.logits = Logits(self.device, self.dtype)
        self.copies = False  # whether the loss writes into its predictions
        torch.manual_seed(0)  # a network has the same weights in every process
        self.description = {"framework": "torch " + torch.__version__, "device": self.device.type, "threads": torch.get_num_threads()}
        if self.device.type == "cuda":
            torch.zeros(1, device=self.device)
            self.description["device_name"] = torch.cuda.get_device_name()
            self.description["cuda"] = torch.version.cuda

    def argument(self, key, value):
        """A keyword argument of the loss: numbers for each class become a tensor."""
        if key in _PER_CLASS and isinstance(value, (list, tuple)):
            return torch.tensor(value, dtype=torch.float32)
        return value

    def use(self, loss, model):
        """Take the loss, and the network where there is one."""
        self.loss = loss.to(self.device) if isinstance(loss, torch.nn.Module) else loss
        self.names = names_of(loss)
        self.losses_state = [(value, value.detach().clone()) for _, value in _state(self.loss)]
        self.model = model
        if model is not None:
            self.model = model.to(self.device).train()
            self.kept = {name: value.detach().clone() for name, value in self.model.state_dict().items()}
            self.single = []
            for name, layer in self.model.named_modules():
                if isinstance(layer, torch.nn.modules.batchnorm._BatchNorm):
                    layer.register_forward_pre_hook(self._watch(name))

    def step(self, job, phase):
        """Put one job through the loss; the fields of a step."""
        phase("target")
        target = self._target(job)
        self.target_first = job.target_first
        try:
            return self._through_network(job, target, phase) if self.model is not None else self._through_loss(job, target, phase)
        finally:
            self._restore_loss()

    def _target(self, job):
        target = torch.from_numpy(job.target_array()).to(self.device)
        return as_pixels(target, job.target) if job.outputs == "pixels" else target

    def _restore_loss(self):
        """Put the buffers of the loss back: what one batch has done to them must not be blamed on the next."""
        with contextlib.suppress(RuntimeError), torch.no_grad():  # a lost device can put nothing back
            for value, kept in self.losses_state:
                value.copy_(kept)
                value.grad = None

    def explain(self, job, phase):
        """The same, slowly, with the line that first made a NaN in `source`."""
        with NanTracer() as tracer, torch.autograd.set_detect_anomaly(True, check_nan=False):
            result = self.step(job, phase)
        result["source"] = tracer.source or result.get("source", "")
        result["operation"] = tracer.operation
        return result

    def _through_loss(self, job, target, phase):
        phase("logits")
        with self.logits.of(job) as logits:
            logits.grad = None
            phase("forward")
            try:
                result, loss = self._forward(lambda: self._predictions(logits, job), target, phase)
            except RuntimeError as error:
                if self.copies or "leaf Variable" not in str(error):
                    raise
                self.copies = True  # logits of a network are not a leaf: there, the loss may write into them
                target = self._target(job)
                result, loss = self._forward(lambda: self._predictions(logits, job), target, phase)
            self._backward(loss, phase)
            phase("gradient")
            _judge_gradient(result, logits.grad, job.probe_pixel)
            if self.dtype == torch.float16 and result.get("gradient") == 0:  # too small for half precision: training scales its loss
                logits.grad = None
                self._backward(self._forward(lambda: self._predictions(logits, job), self._target(job), phase)[1].sum() * _SCALE, phase)
                if is_finite(logits.grad):
                    _judge_gradient(result, logits.grad.float() / _SCALE, None)
            phase("buffers")
            self._judge_state(result, self.loss)
        return result

    def _predictions(self, logits, job):
        return predictions(logits.clone() if self.copies and job.activation == "none" else logits, job)

    def _forward(self, predict, target, phase):
        half = self.dtype != torch.float32
        with torch.autocast(self.device.type, self.dtype) if half else contextlib.nullcontext():
            inputs = predict(), target
            returned = call(self.loss, self.names, *(reversed(inputs) if self.target_first else inputs))
        self._wait()
        phase("loss")
        return _judge_loss(returned)

    def _backward(self, loss, phase):
        phase("backward")
        (loss if loss.ndim == 0 else loss.sum()).backward()
        self._wait()

    def _through_network(self, job, target, phase):
        """A training step: forward, backward, one step of gradient descent; then everything is put back."""
        self.single.clear()
        images = torch.from_numpy(job.images.copy()).to(self.device).permute(0, 3, 1, 2).float().div_(255)
        seen = {}
        try:
            def predict():
                phase("model")
                output = self.model(images)
                seen["logits"] = logits = _logits_of(output)
                if logits.requires_grad:
                    logits.retain_grad()
                phase("forward")
                return output if job.outputs == "whole" else predictions(logits, job)

            result, loss = self._forward(predict, target, phase)
            self._backward(loss, phase)
            phase("gradient")
            _judge_gradient(result, seen["logits"].grad, job.probe_pixel)
            phase("buffers")
            with torch.no_grad():
                for parameter in self.model.parameters():
                    if parameter.grad is not None:
                        parameter -= _NETWORKS_RATE * parameter.grad
            self._judge_state(result, self.loss, self.model)
            if job.statistics:
                result["statistics"] = {name: value.flatten()[:64].tolist() for name, value in self.model.named_buffers()}
            result["error"] = "; ".join(self.single)
            return result
        except Exception as error:
            if self.single:
                error.args = ("{} ({})".format(error, "; ".join(self.single)),)
            raise
        finally:
            with contextlib.suppress(RuntimeError):  # a lost device can put nothing back
                self.model.load_state_dict(self.kept)
                self.model.zero_grad(set_to_none=True)

    def _watch(self, name):
        def hook(layer, inputs):
            shape = tuple(inputs[0].shape)
            if layer.training and len(shape) > 1 and inputs[0].numel() == shape[1]:
                self.single.append("layer '{}' normalizes over one value for each channel, input {}".format(name, shape))
        return hook

    def _judge_state(self, result, *modules):
        bad = []
        for module in modules:
            bad += [name for name, value in _state(module)
                    if value.is_floating_point() and value.numel() and not is_finite(value)]
        result["buffers"] = bad
        if bad and result["status"] == "ok":
            result["status"] = "nan-buffer"

    def is_lost(self):
        """Whether the device answers no more."""
        try:
            self._wait()
        except RuntimeError:
            return True
        return False

    def _wait(self):
        if self.device.type == "cuda":
            current = torch.cuda.current_device()
            for number in range(torch.cuda.device_count()):
                if number == current or torch.cuda.memory_allocated(number):  # the loss may work on another one
                    torch.cuda.synchronize(number)


def _state(module):
    """Names and tensors of the parameters and buffers of a module, those that are not stored with it included."""
    return [*module.named_parameters(), *module.named_buffers()] if isinstance(module, torch.nn.Module) else []


def _logits_of(output):
    """The logits among what a network returns: the tensor itself, `out` or `logits` of a mapping or object, or the first of several."""
    for _ in range(4):
        if isinstance(output, torch.Tensor):
            return output
        if isinstance(output, dict):
            output = output.get("out", output.get("logits", next(iter(output.values()), None)))
        elif hasattr(output, "logits"):
            output = output.logits
        elif isinstance(output, (tuple, list)) and output:
            output = output[0]
    raise TypeError("the network returned {}, in which no logits were found".format(type(output).__name__))


def _judge_loss(returned):
    """The fields of a step that the loss gives, and the tensor to go backward from."""
    loss, part = (returned, "") if isinstance(returned, torch.Tensor) else loss_in(returned, _is_loss) or (None, "")
    if loss is None:
        raise no_loss(returned)
    if loss.numel() == 0:
        raise TypeError("the loss gave an empty tensor of shape {}".format(tuple(loss.shape)))
    value = loss.detach().double()
    return {"status": "ok" if is_finite(value) else "nan-loss", "loss": float(value.sum()), "returned": part}, loss


def _is_loss(value):
    return isinstance(value, torch.Tensor) and value.numel() == 1 and value.requires_grad


def _judge_gradient(result, gradient, probe_pixel):
    if gradient is None:
        return
    low, high = (float(value) for value in torch.aminmax(gradient))
    result["gradient"] = abs(max(-low, high))
    if probe_pixel:
        at = gradient[probe_pixel[0], :, probe_pixel[1], probe_pixel[2]].double()
        result["pixel"] = {"largest": float(at.abs().max()), "total": float(at.sum()), "lowest": int(at.argmin())}
        result["nearest"] = nearest_with_gradient(gradient.ne(0).any(1).cpu().numpy(), probe_pixel)
    if not (abs(low) < float("inf") and abs(high) < float("inf")):
        bad = ~torch.isfinite(gradient).all(1)
        result.update(gradient=float("nan"), bad=bad.nonzero()[0].tolist(), bad_pixels=int(bad.sum()))
        if result["status"] == "ok":
            result["status"] = "nan-gradient"

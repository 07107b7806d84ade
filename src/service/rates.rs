//! Chooses the device of a batch based on the durations of recent batches of that size on each
//! device.

use crate::engine::Device;

/// Number of size classes: batches of 2^i to 2^(i+1) - 1 items form one class.
const SIZES: usize = 32;
/// Batches of a size on one device after which the other, if not measured yet, is tried.
const UNTIL_TRIAL: u32 = 16;
/// Largest size class at which the CPU may be tried although half that size has not been measured.
const SMALL: usize = 6;
/// Consecutive batches on one device after which the measurements of the other are doubted.
const UNTIL_DOUBT: u32 = 64;
/// Factor applied to doubted measurements.
const DOUBT: f64 = 0.8;
/// The weight of the latest batch in the average.
const NEWS: f64 = 0.125;
/// Maximum slowdown, relative to the other device, with which a device is tried.
const TRIED: f64 = 2.0;

/// The durations of recent batches, by device and size.
pub struct Rates {
    known: [[Option<MeasuredTime>; SIZES]; 2],
    /// Batches of a size since the other device was last tried or doubted.
    in_a_row: [u32; SIZES],
    /// True if a device has computed a batch. The first may have had to wait for kernels and
    /// tables.
    is_ready: [bool; 2],
    /// True if a device that is not ready has been given a batch. It gets no other while it waits
    /// for its kernels.
    is_tried: [bool; 2],
}

/// The measurements of a device and a size.
#[derive(Clone, Copy)]
struct MeasuredTime {
    seconds: f64,
    /// True if the value has not been measured recently.
    is_doubted: bool,
}

impl Rates {
    pub fn new() -> Self {
        Rates {
            known: [[None; SIZES]; 2],
            in_a_row: [0; SIZES],
            is_ready: [false; 2],
            is_tried: [false; 2],
        }
    }

    fn seconds(&self, device: Device, size: usize) -> Option<f64> {
        self.known[device as usize][size].map(|known| known.seconds)
    }

    /// Returns the device for a batch. Before any measurement, it is `first`.
    pub fn choose(&mut self, items: usize, first: Device) -> Device {
        let size = size_of(items);
        self.in_a_row[size] = self.in_a_row[size].saturating_add(1);
        let [cpu, gpu] = [Device::Cpu, Device::Gpu].map(|device| self.seconds(device, size));
        match (cpu, gpu) {
            (Some(cpu), Some(gpu)) => self.better(size, cpu, gpu),
            (Some(cpu), None) => self.trial_or(Device::Gpu, Device::Cpu, size, cpu),
            (None, Some(gpu)) => self.trial_or(Device::Cpu, Device::Gpu, size, gpu),
            (None, None) => first,
        }
    }

    /// Returns the `unknown` device, which has not been measured at a size, if it is to be tried,
    /// and otherwise the `known` one, which takes `seconds`. Batches that begin before the result
    /// of a first trial is known are not trials.
    fn trial_or(&mut self, unknown: Device, known: Device, size: usize, seconds: f64) -> Device {
        if self.in_a_row[size] < UNTIL_TRIAL || !self.is_worth_a_trial(unknown, size, seconds) {
            return known;
        }
        let is_first = !self.is_ready[unknown as usize];
        if is_first && std::mem::replace(&mut self.is_tried[unknown as usize], true) {
            return known;
        }
        self.in_a_row[size] = 0;
        unknown
    }

    /// Returns the faster device, and makes the other look faster from time to time, because
    /// conditions change. For many items, the CPU is reconsidered only if it may keep up, since
    /// such a batch occupies all its threads while callers wait.
    fn better(&mut self, size: usize, cpu: f64, gpu: f64) -> Device {
        let (better, other) = if cpu <= gpu {
            (Device::Cpu, Device::Gpu)
        } else {
            (Device::Gpu, Device::Cpu)
        };
        if self.in_a_row[size] >= UNTIL_DOUBT {
            self.in_a_row[size] = 0;
            let is_cheap = other == Device::Gpu
                || size <= SMALL
                || self.is_worth_a_trial(other, size, cpu.min(gpu));
            if !is_cheap {
                return better;
            }
            self.known[other as usize][size] = Some(MeasuredTime {
                seconds: cpu.max(gpu) * DOUBT,
                is_doubted: true,
            });
        }
        better
    }

    /// Returns whether to try a device at a size for the first time. A GPU takes about as long for
    /// few items as for many. The CPU's time is extrapolated from half as many.
    fn is_worth_a_trial(&self, device: Device, size: usize, seconds: f64) -> bool {
        let of_half = size
            .checked_sub(1)
            .and_then(|half| self.seconds(device, half));
        match (device, of_half) {
            (_, Some(of_half)) => 2.0 * of_half <= TRIED * seconds,
            (Device::Gpu, None) => true,
            (Device::Cpu, None) => size <= SMALL,
        }
    }

    /// Records the duration of a batch, unless it is the device's first. `seconds` is `None` if the
    /// batch failed.
    pub fn record(&mut self, device: Device, items: usize, seconds: Option<f64>) {
        let Some(seconds) = seconds else {
            self.is_tried[device as usize] = false;
            return;
        };
        if !std::mem::replace(&mut self.is_ready[device as usize], true) {
            return;
        }
        let size = size_of(items);
        let of_before = self.known[device as usize][size].filter(|known| !known.is_doubted);
        let mean = of_before.map_or(seconds, |known| {
            known.seconds + NEWS * (seconds - known.seconds)
        });
        self.known[device as usize][size] = Some(MeasuredTime {
            seconds: mean,
            is_doubted: false,
        });
    }
}

fn size_of(items: usize) -> usize {
    (items.max(1).ilog2() as usize).min(SIZES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the seconds of a batch, approximately as on a machine with an H200.
    fn cpu(items: usize) -> f64 {
        40e-6 + 0.7e-6 * items as f64
    }

    fn gpu(items: usize) -> f64 {
        800e-6 + 20e-9 * items as f64
    }

    /// Returns the devices that compute a sequence of batches of the same size.
    fn devices(
        rates: &mut Rates,
        items: usize,
        batches: usize,
        gpu: fn(usize) -> f64,
    ) -> Vec<Device> {
        let chosen = (0..batches).map(|_| {
            let device = rates.choose(
                items,
                if items < 4096 {
                    Device::Cpu
                } else {
                    Device::Gpu
                },
            );
            rates.record(
                device,
                items,
                Some(if device == Device::Cpu {
                    cpu(items)
                } else {
                    gpu(items)
                }),
            );
            device
        });
        chosen.collect()
    }

    fn share(devices: &[Device], device: Device) -> f64 {
        devices.iter().filter(|other| **other == device).count() as f64 / devices.len() as f64
    }

    #[test]
    fn small_batches_go_to_the_cpu_and_large_ones_to_a_gpu() {
        let mut rates = Rates::new();
        for power in (0..17).chain((0..17).rev()) {
            let items = 1 << power;
            let better = if cpu(items) <= gpu(items) {
                Device::Cpu
            } else {
                Device::Gpu
            };
            let chosen = devices(&mut rates, items, 300, gpu);
            assert!(
                share(&chosen, better) > 0.9,
                "{items} items: {}",
                share(&chosen, better)
            );
        }
    }

    #[test]
    fn wrong_first_choice_is_corrected() {
        // Sizes between the crossover that is guessed at first and the actual one.
        for items in [1500, 2048, 4000] {
            let chosen = devices(&mut Rates::new(), items, 200, gpu);
            assert_eq!(chosen[0], Device::Cpu);
            assert!(share(&chosen[40..], Device::Gpu) > 0.9, "{items}");
        }
    }

    #[test]
    fn first_batch_of_a_device_is_not_measured() {
        let mut rates = Rates::new();
        devices(&mut rates, 2048, 10, gpu);
        // The first batch includes compiling kernels.
        rates.record(Device::Gpu, 2048, Some(20.0));
        assert!(share(&devices(&mut rates, 2048, 200, gpu)[40..], Device::Gpu) > 0.9);
    }

    #[test]
    fn changed_speed_of_a_device_is_noticed() {
        let mut rates = Rates::new();
        // As slow as while its kernels are compiled.
        devices(&mut rates, 2048, 100, |_| 5e-3);
        assert_eq!(
            share(&devices(&mut rates, 2048, 100, |_| 5e-3), Device::Gpu),
            0.0
        );
        let chosen = devices(&mut rates, 2048, 3000, gpu);
        assert!(share(&chosen[2000..], Device::Gpu) > 0.9);
        // The GPU becomes slower again.
        let chosen = devices(&mut rates, 2048, 200, |_| 20e-3);
        assert!(share(&chosen[20..], Device::Cpu) > 0.9);
    }

    /// Holds however long it goes on, and whatever is known of the CPU.
    #[test]
    fn much_slower_cpu_is_not_tried_again() {
        let mut rates = Rates::new();
        for power in 0..18 {
            devices(&mut rates, 1 << power, 200, gpu);
            rates.record(Device::Cpu, 1 << power, Some(cpu(1 << power)));
        }
        for power in 13..18 {
            let chosen = devices(&mut rates, 1 << power, 20_000, gpu);
            assert_eq!(share(&chosen, Device::Cpu), 0.0, "2^{power}");
        }
        // A CPU that has become faster is noticed from small batches on.
        for power in 0..14 {
            for _ in 0..20_000 {
                let device = rates.choose(1 << power, Device::Gpu);
                let seconds = if device == Device::Cpu {
                    cpu(1 << power) / 1000.0
                } else {
                    gpu(1 << power)
                };
                rates.record(device, 1 << power, Some(seconds));
            }
        }
        assert_eq!(rates.choose(1 << 13, Device::Gpu), Device::Cpu);
    }

    #[test]
    fn cpu_is_not_tried_with_large_batches() {
        let mut rates = Rates::new();
        for power in (0..18).chain((0..18).rev()) {
            let chosen = devices(&mut rates, 1 << power, 200, gpu);
            assert!(
                cpu(1 << power) < 4.0 * gpu(1 << power) || share(&chosen, Device::Cpu) == 0.0,
                "2^{power}"
            );
        }
    }
}

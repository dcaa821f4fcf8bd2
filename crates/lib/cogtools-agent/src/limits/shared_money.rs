//! Money that several processes spend from one budget, such as the agents of a flow.
//!
//! It is a folder of whatever runs them: the file `spent`, whose lock guards all else, and a file for
//! each request that is on its way, which its process keeps locked. A process that dies leaves its
//! file without a lock: its reservation counts as spent.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use cogtools_core::environment::{Environment, SHARED_MONEY};
use cogtools_core::process::TempFolder;
use cogtools_core::{Code, Diagnostic};

/// The folder.
#[derive(Clone, Debug)]
pub(crate) struct SharedMoney(PathBuf);

/// The amounts, which nobody else changes while this exists.
#[derive(Debug)]
pub(crate) struct Balance<'m> {
    folder: &'m SharedMoney,
    file: File,
    /// Money that is spent.
    pub(crate) spent: f64,
    /// Money that requests on their way may spend.
    pub(crate) reserved: f64,
    /// Number of these requests.
    pub(crate) requests: usize,
}

/// The part that a request may spend, until it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    folder: SharedMoney,
    path: PathBuf,
    _file: File,
}

impl Drop for Share {
    fn drop(&mut self) {
        // Nobody looks at it meanwhile. What stays counts as spent: never too little.
        let _balance = self.folder.balance();
        let _ = fs::remove_file(&self.path);
    }
}

/// Makes the folder in which agents count what they spend together, and names it in `environment`:
/// each runs in a process of its own, with the same limit of money. None if an outer run has one.
///
/// # Errors
/// The folder cannot be made.
pub fn share_money(environment: &mut Environment) -> Result<Option<TempFolder>, Box<Diagnostic>> {
    if environment.process().contains_key(OsStr::new(SHARED_MONEY)) {
        return Ok(None);
    }
    let failed = |reason: String| {
        let message = format!("the folder for what agents spend cannot be made: {reason}");
        Box::new(Diagnostic::new(Code::IoFailed, message))
    };
    let folder = TempFolder::new(&environment.temp_dir());
    let folder = folder.map_err(|error| failed(error.to_string()))?;
    let path = folder.path().to_str();
    let path = path.ok_or_else(|| failed("its name is not UTF-8".to_owned()))?;
    *environment = environment.clone().with_variable(SHARED_MONEY, path);
    Ok(Some(folder))
}

impl SharedMoney {
    pub(crate) const fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// Reads the amounts.
    ///
    /// # Errors
    /// The folder cannot be used, so that nobody knows what is spent.
    pub(crate) fn balance(&self) -> io::Result<Balance<'_>> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(self.0.join(SPENT))?;
        file.lock()?;
        let mut balance = Balance {
            folder: self,
            spent: amount(&mut file)?,
            file,
            reserved: 0.0,
            requests: 0,
        };
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            if entry.file_name() == SPENT {
                continue;
            }
            // It may have ended just now.
            let Ok(mut share) = File::open(entry.path()) else {
                continue;
            };
            if share.try_lock_shared().is_ok() {
                balance.add(amount(&mut share)?)?;
                fs::remove_file(entry.path())?;
            } else {
                balance.reserved += amount(&mut share)?;
                balance.requests += 1;
            }
        }
        Ok(balance)
    }
}

/// The file with what is spent.
const SPENT: &str = "spent";

/// The amount in a file; nothing yet if it is empty.
fn amount(file: &mut File) -> io::Result<f64> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    if text.is_empty() {
        return Ok(0.0);
    }
    text.parse().map_err(io::Error::other)
}

impl Balance<'_> {
    /// Counts money that is spent.
    pub(crate) fn add(&mut self, money: f64) -> io::Result<()> {
        self.spent += money;
        self.file.rewind()?;
        self.file.set_len(0)?;
        write!(self.file, "{}", self.spent)
    }

    /// Reserves money for a request.
    pub(crate) fn reserve(&self, money: f64) -> io::Result<Share> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{count}", std::process::id());
        let path = self.folder.0.join(name);
        let mut file = File::create_new(&path)?;
        file.lock()?;
        write!(file, "{money}")?;
        Ok(Share {
            folder: self.folder.clone(),
            path,
            _file: file,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_has_reserved_and_not_returned_is_spent() {
        let folder = std::env::temp_dir().join(format!("cogtools-money-{}", std::process::id()));
        fs::create_dir(&folder).expect("a folder");
        let money = SharedMoney::new(folder.clone());
        let amounts = || {
            let balance = money.balance().expect("a balance");
            (balance.spent, balance.reserved, balance.requests)
        };
        let reserve = |amount| {
            let balance = money.balance().expect("a balance");
            balance.reserve(amount).expect("a share")
        };
        assert_eq!(amounts(), (0.0, 0.0, 0));
        let share = reserve(0.5);
        money
            .balance()
            .and_then(|mut it| it.add(0.25))
            .expect("added");
        assert_eq!(amounts(), (0.25, 0.5, 1));
        drop(share);
        assert_eq!(amounts(), (0.25, 0.0, 0));
        // As a process leaves it that is killed.
        fs::write(folder.join("1-0"), "2").expect("a file");
        assert_eq!(amounts(), (2.25, 0.0, 0));
        assert_eq!(amounts(), (2.25, 0.0, 0));
        // Nothing is guessed.
        fs::write(folder.join(SPENT), "much").expect("a file");
        assert!(money.balance().is_err());
        fs::remove_dir_all(folder).expect("removed");
    }
}

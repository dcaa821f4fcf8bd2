//! Subcommands that change or destroy something.

/// The subcommands of a family of programs.
pub(super) struct Subcommands {
    pub(super) programs: &'static str,
    pub(super) changes: &'static str,
    pub(super) destroys: &'static str,
}

const fn of(programs: &'static str, changes: &'static str, destroys: &'static str) -> Subcommands {
    Subcommands {
        programs,
        changes,
        destroys,
    }
}

pub(super) const SUBCOMMANDS: [Subcommands; 20] = [
    of(
        "gh glab",
        "close comment create edit merge reopen review run set upload",
        "delete remove",
    ),
    of(
        "git",
        "add am apply bisect cherry-pick clone commit format-patch gc init merge mv pull rebase \
         repack revert switch update-index update-ref",
        "clean checkout filter-branch reset restore",
    ),
    of(
        "npm pnpm yarn bun",
        "add ci i init install link pack publish set update upgrade version",
        "rm remove uninstall unpublish",
    ),
    of(
        "pip pip3 pipx uv poetry pdm",
        "add install lock sync upgrade",
        "remove uninstall",
    ),
    of(
        "cargo",
        "add build fix fmt generate-lockfile init install new publish update",
        "clean remove uninstall yank",
    ),
    of("go", "generate get install mod fmt", "clean"),
    of(
        "rustup",
        "default install override toolchain update",
        "uninstall",
    ),
    of("ruff", "format", "clean"),
    of(
        "gem bundle composer",
        "add install publish push require update",
        "remove uninstall yank",
    ),
    of(
        "apt apt-get dnf yum apk pacman zypper brew snap flatpak port",
        "add dist-upgrade install update upgrade -S -Sy -Syu",
        "autoremove del erase purge remove uninstall -R",
    ),
    of(
        "docker podman docker-compose",
        "build commit create cp exec import load login pause pull push rename restart run start \
         stop tag unpause up update",
        "down kill prune rm rmi",
    ),
    of(
        "kubectl oc",
        "annotate apply autoscale cordon create edit exec expose label patch rollout run scale set \
         taint uncordon",
        "delete drain replace",
    ),
    of("helm", "install rollback upgrade", "delete uninstall"),
    of("terraform tofu", "apply fmt import init taint", "destroy"),
    of(
        "pulumi cdk serverless vercel netlify flyctl wrangler heroku",
        "deploy up",
        "destroy remove",
    ),
    of(
        "systemctl service launchctl",
        "daemon-reload disable edit enable load reload restart start stop unload",
        "kill mask",
    ),
    of(
        "aws gcloud az gsutil s3cmd rclone doctl",
        "apply copy cp create deploy import mb move mv put put-object run start stop sync update",
        "delete purge rb remove rm terminate terminate-instances",
    ),
    of(
        "alembic flyway liquibase prisma sequelize rails knex",
        "migrate upgrade",
        "clean downgrade reset",
    ),
    of(
        "tmux screen",
        "kill-session new-session respawn-pane send-keys",
        "kill-server",
    ),
    of("ansible ansible-playbook", "", ""),
];
